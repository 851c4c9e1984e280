import { expect, it } from "vitest";
import { toCsvRow } from "./csv";

it("quotes every cell and ends the row as RFC 4180 says", () => {
  expect(toCsvRow(["a", 'say "hi"', "two\nlines", ""])).toBe('"a","say ""hi""","two\nlines",""\r\n');
});

it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"])("defuses %j", (value) => {
  expect(toCsvRow([value])).toBe(`"'${value}"\r\n`);
});
