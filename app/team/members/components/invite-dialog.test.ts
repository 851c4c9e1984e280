import { expect, it } from "vitest";
import { isLocalAddress } from "./invite-dialog";

it.each([
  ["http://localhost:3000/invite/x", true],
  ["http://console.localhost/invite/x", true],
  ["http://127.0.0.1:3000/invite/x", true],
  ["http://[::1]:3000/invite/x", true],
  ["http://192.168.1.20:3000/invite/x", false],
  ["https://localhost.example.com/invite/x", false],
])("knows whether %s opens only on its own computer", (address, isLocal) => {
  expect(isLocalAddress(address)).toBe(isLocal);
});
