import { expect, it } from "vitest";
import { api } from "./api-list.server";
import { limitBody } from "./http/request-body.server";
import { BACKUP_UPLOAD_LIMITS } from "./team/backups/backups.schema";

function passesEdge(length: number): boolean {
  let passed = false;
  const request = { headers: { "content-length": String(length) }, push: () => true };
  const response = { once: () => undefined, headersSent: true };
  limitBody(request as never, response as never, () => {
    passed = true;
  });
  return passed;
}

it("what is beyond a call's own limit reaches it, so that it says which one", () => {
  const declared = api.flatMap(({ upload, maxBytes }) => [upload?.maxBytes ?? 0, maxBytes ?? 0]);
  const largest = Math.max(...declared, BACKUP_UPLOAD_LIMITS.maxBytes);
  expect(largest).toBe(2_000_000_000);
  expect(passesEdge(largest + 1)).toBe(true);
  expect(passesEdge(10 * largest)).toBe(false);
});
