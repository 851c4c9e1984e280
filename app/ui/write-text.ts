/**
 * Writes into a field as if it were typed: a text set as a range is one that React's controlled fields hear, too. Fields
 * without ranges, such as those of numbers, must be uncontrolled.
 */
export function writeText(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  if (field.selectionStart === null) field.value = text;
  else field.setRangeText(text, 0, field.value.length, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
