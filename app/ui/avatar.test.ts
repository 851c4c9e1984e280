import { expect, it } from "vitest";
import { initials } from "./avatar";

it.each([
  ["Ana Pereira", "AP"],
  ["ana.pereira@acme.example", "AP"],
  ["jonas@acme.example", "J"],
  ["Maya", "M"],
  ["Jean-Luc van den Berg", "JB"],
  ["", "?"],
])("the initials of %j are %s", (name, letters) => {
  expect(initials(name)).toBe(letters);
});
