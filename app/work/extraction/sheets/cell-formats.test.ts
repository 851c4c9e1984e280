import { expect, it } from "vitest";
import { loadCellFormats } from "./cell-formats";

const formatOf = await loadCellFormats(false);
const show = (code: string, value: number) => formatOf(code).number(value);

it.each([
  ["dd.mm.yyyy", 45366, "2024-03-15"],
  ["yyyy\\-mm\\-dd;@", 45366, "2024-03-15"],
  ["[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", 45366, "2024-03-15"],
  ['[$-411]ggge"年"m"月"d"日"', 45366, "2024-03-15"],
  ["mmm-yy", 45366, "2024-03-15"],
  ["ddmmmyy", 45366.7, "2024-03-15"],
  ["m/d/yyyy h:mm AM/PM", 45366.75, "2024-03-15 18:00"],
  ["dd.mm.yyyy hh:mm:ss", 45366.999999999, "2024-03-16 00:00:00"],
  ["dd.mm.yyyy hh:mm", 0.5, "12:00"],
  ["dd.mm.yyyy", 0, "0"],
  ["dd.mm.yyyy", -3, "-3"],
  ["dd.mm.yyyy", 4e6, "4000000"],
  ["yyyy-mm-dd", 60, "1900-02-29"],
])("shows a date as ISO writes it: %s of %d", (code, value, text) => {
  expect(show(code, value)).toBe(text);
});

it.each([
  ["h:mm AM/PM", 0.75, "18:00"],
  ["hh:mm", 0.0104166, "00:15"],
  ["hh:mm", 45366.322916666664, "07:45"],
  ["[$-F400]h:mm:ss\\ AM/PM", 0.99999, "23:59:59"],
  ["[h]:mm", 1.104166666666667, "26:30"],
  ["[hh]:mm:ss", 0.0347222222222, "00:50:00"],
  ["[h]:mm", -0.25, "-6:00"],
  ["mm:ss", 0.00353009, "05:05"],
])("shows a time of 24 hours, or a duration: %s of %d", (code, value, text) => {
  expect(show(code, value)).toBe(text);
});

it.each([
  ["General", 0.1 + 0.2, "0.3"],
  ["0%", 0.1, "10%"],
  ["0.0%", 0.075, "7.5%"],
  ["00000", 1067, "01067"],
  ['"RE-"0000', 42, "RE-0042"],
  ["000-00-0000", 123456789, "123-45-6789"],
  ['0.00 "days"', 5, "5.00 days"],
  ["# ?/?", 1.5, "1 1/2"],
  ["#,##0.00\\ [$€-407]", 1234567.5, "1234567.50 €"],
  ["[$-407]#,##0.0", 1234.5, "1234.5"],
  ["#,##0.00;[Red]#,##0.00", -5, "-5.00"],
  ["$#,##0.00_);($#,##0.00)", -1299.5, "-$1299.50"],
  ['_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)', -1299.5, "-1299.50"],
  ["0.00E+00", 1234567, "1234567"],
  [";;;", 4711, "4711"],
  ["0;;", 0, ""],
  ["0.00[", 4711, "4711"],
  ["0".repeat(256), 4711, "4711"],
])("shows a number ungrouped, with its sign: %s of %d", (code, value, text) => {
  expect(show(code, value)).toBe(text);
});

it("shows a text with what its format adds", () => {
  expect(formatOf('"No. "@').text("7a")).toBe("No. 7a");
  expect(formatOf("@").text(" 7a")).toBe(" 7a");
  expect(formatOf('0;-0;0;"Text: "@').text("7a")).toBe("Text: 7a");
});
