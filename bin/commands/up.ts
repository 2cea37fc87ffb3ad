/** `svc up DIR`: the portal and the controller in this process until it is ended. The wiring stands in bin/up/. */
export async function runUp(dir: string, options: { readonly listen?: string; readonly state: string }): Promise<void> {
  const { up } = await import('../up/main.ts');
  await up({ dir, listen: options.listen ?? null, state: options.state });
}
