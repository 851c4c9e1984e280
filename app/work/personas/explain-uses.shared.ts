/** Why a persona can't be deleted. @param workflows their names */
export function explainUses(workflows: readonly string[]): string {
  const names = workflows.map((name) => `"${name}"`).join(", ");
  return `It is used by the workflow${workflows.length === 1 ? "" : "s"} ${names}. Choose another persona there first.`;
}
