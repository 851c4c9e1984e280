import { expect, it } from "vitest";
import { assertDeclared } from "./policy.server";

it.each([
  ["[::1]:8080", "[::1]", 8080, true],
  ["[::1]:8080", "::1", 8080, true],
  ["[::1]", "[::1]", 443, true],
  ["[::1]:8080", "[::1]", 8081, false],
  ["[::1]", "[::2]", 443, false],
  ["api.example", "api.example.", 443, true],
  ["api.example:443", "api.example", 80, false],
])("compares a declared %s with %s at %i", (entry, host, port, isDeclared) => {
  const check = () => assertDeclared([entry], host, port);
  if (isDeclared) expect(check).not.toThrow();
  else expect(check).toThrow("not on the list of declared hosts");
});
