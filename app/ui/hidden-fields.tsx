/** Values that a form posts beside its visible fields. */
export function HiddenFields({ values }: { values: Record<string, string> | undefined }) {
  return Object.entries(values ?? {}).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
}
