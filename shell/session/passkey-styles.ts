/** How the list of passkeys looks, and the offer to make one. */
import { css } from 'lit';

export const passkeyStyles = css`
  .lead,
  .problem {
    padding: 8px 0;
    color: var(--muted);
  }
  .problem {
    color: var(--danger);
  }
  li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 16px;
    padding: 12px 0;
  }
  li + li {
    border-top: 1px solid var(--line);
  }
  .what {
    flex: 1 1 200px;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .what p {
    color: var(--muted);
    font-size: 13px;
    line-height: 1.5;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: end;
    gap: 8px;
    padding-top: 12px;
  }
`;
