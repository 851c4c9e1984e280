import { expect, it } from "vitest";
import { loggablePath } from "./express.server";

const SECRET = "bK3x_9-QmZ0aYt";

it.each([
  `/invite/${SECRET}`,
  `/invite/${SECRET}/`,
  `/invite/${SECRET}/more`,
  `/INVITE/${SECRET}`,
  `//invite//${SECRET}`,
  `/%69nvite/${SECRET}`,
  `/invite%2F${SECRET}`,
  `/invite/${SECRET}%`,
])("keeps the secret of %s out of the log", (path) => {
  expect(loggablePath(path)).toBe("/invite/***");
});

it("keeps the secret of an approval out of the log", () => {
  expect(loggablePath(`/Approve/${SECRET}`)).toBe("/approve/***");
});

it.each([
  `/api/hooks/${SECRET}`,
  `/api/hooks/${SECRET}.data`,
  `/API//Hooks/${SECRET}/`,
  `/api%2Fhooks/${SECRET}`,
])("keeps the secret of the webhook %s out of the log", (path) =>
  expect(loggablePath(path)).toBe("/api/hooks/***"),
);

it.each(["/", "/api/hooks", "/invite", "/invite/", "/api/members/usr_1/invitation", "/chat/invite/x", "/%"])(
  "leaves %s as it is",
  (path) => {
    expect(loggablePath(path)).toBe(path);
  },
);
