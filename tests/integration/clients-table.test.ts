import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CLIENTS, FEATURES } from "../clients/clients";

it("of docs/api.md has a mark for each feature that `npm run test:clients` tries, and no other", () => {
  const lines = readFileSync("docs/api.md", "utf8").split("\n");
  const from = lines.findIndex((line) => line.startsWith("| Client |"));
  const rows = lines.slice(from, lines.indexOf("", from)).map((line) => line.slice(2, -2).split(" | "));
  const [head, , ...clients] = rows;
  expect(head).toEqual(["Client", ...FEATURES]);
  const wanted = CLIENTS.map(({ name, features }) => [
    name,
    ...FEATURES.map((feature) => (features.includes(feature) ? "yes" : "–")),
  ]);
  expect(clients).toEqual(wanted);
});
