export const textFieldsOf = (form: HTMLFormElement): [name: string, value: string][] =>
  [...new FormData(form)].flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[name, value]] : [],
  );

/** Fields as a form's submitted values: a repeated one has a list. */
export function byName(fields: readonly [string, string][]): Record<string, unknown> {
  const values: Record<string, string[]> = {};
  for (const [name, value] of fields) values[name] = [...(values[name] ?? []), value];
  return Object.fromEntries(
    Object.entries(values).map(([name, list]) => [name, list.length === 1 ? list[0] : list]),
  );
}
