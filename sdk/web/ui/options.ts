/** The `<option>` children of an element, read and followed, so that plain HTML, a template and a script give them alike. */

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly hint: string;
  readonly disabled: boolean;
  readonly selected: boolean;
  /** Label of the `<optgroup>` around it. */
  readonly group: string;
}

function read(option: HTMLOptionElement): Option {
  const group = option.closest('optgroup');
  return {
    value: option.value,
    label: option.label.trim(),
    hint: option.dataset['hint'] ?? '',
    disabled: option.disabled || group?.disabled === true,
    selected: option.hasAttribute('selected'),
    group: group?.label ?? '',
  };
}

export const optionsOf = (host: Element): readonly Option[] => Array.from(host.querySelectorAll('option'), read);

/** Calls when they change, until the returned function is called. */
export function followOptions(host: Element, changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(host, {
    childList: true,
    subtree: true,
    characterData: true,
    attributeFilter: ['value', 'label', 'disabled', 'selected', 'data-hint'],
  });
  return () => observer.disconnect();
}
