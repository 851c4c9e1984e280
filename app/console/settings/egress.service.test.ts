import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guardedFetch, setOwnerAllow } from "~/core/egress/index.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import {
  allowEgress,
  applyEgressAllow,
  disallowEgress,
  listEgressCalls,
  readEgressAllow,
  saveEgressAllow,
} from "./egress.service.server";

let test: ReturnType<typeof openTestDatabase>;
let upstream: MockServer;
beforeEach(async () => {
  test = openTestDatabase();
  upstream = await startMockServer((_, response) => response.end("hello"));
});
afterEach(async () => {
  setOwnerAllow([]);
  await upstream.close();
  test.close();
});
const fetched = () => guardedFetch("test")(`${upstream.origin}/secret?token=1`);

describe("the owner's egress list", () => {
  it("allows its entries from then on, also after a restart, and is audited", async () => {
    await expect(fetched()).rejects.toMatchObject({ code: "egress_refused" });
    const entry = `127.0.0.1:${upstream.port}`;
    expect(saveEgressAllow(test.actors.owner, { allow: [entry, entry] })).toEqual({ allow: [entry] });
    expect(await (await fetched()).text()).toBe("hello");
    setOwnerAllow([]);
    applyEgressAllow();
    expect(await (await fetched()).text()).toBe("hello");
    expect(readEgressAllow(test.actors.owner)).toEqual({ allow: [entry] });
    expect(listAudit(test.actors.owner, { limit: 9 }).entries).toMatchObject([
      { action: "egress.updated", before: { allow: [] }, after: { allow: [entry] } },
    ]);
    saveEgressAllow(test.actors.owner, { allow: [] });
    await expect(guardedFetch("other")(`http://127.0.0.2:${upstream.port}`)).rejects.toThrow();
  });

  it("is visible to and changed by owners only, and rejects invalid entries", () => {
    const forbidden = expect.objectContaining({ code: "forbidden" });
    expect(() => readEgressAllow(test.actors.admin)).toThrow(forbidden);
    expect(() => listEgressCalls(test.actors.admin)).toThrow(forbidden);
    expect(() => saveEgressAllow(test.actors.admin, { allow: [] })).toThrow(forbidden);
    for (const wrong of ["http://intranet", "169.254.169.254", "10.0.0.0/99"]) {
      expect(() => saveEgressAllow(test.actors.owner, { allow: [wrong] })).toThrow(
        expect.objectContaining({ code: "invalid", fields: { allow: [expect.stringContaining(wrong)] } }),
      );
    }
    expect(listAudit(test.actors.owner, { limit: 9 }).entries).toEqual([]);
  });

  it("adds the host of a denied call in one step and removes it again", async () => {
    await expect(fetched()).rejects.toThrow();
    const [call] = listEgressCalls(test.actors.owner);
    expect(call?.reason).toContain("Private");
    const entry = `${call?.host}:${call?.port}`;
    expect(allowEgress(test.actors.owner, { entry })).toEqual({ entry });
    expect(await (await fetched()).text()).toBe("hello");
    disallowEgress(test.actors.owner, { entry });
    expect(readEgressAllow(test.actors.owner)).toEqual({ allow: [] });
    expect(() => allowEgress(test.actors.admin, { entry })).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
  });

  it("is shown with recent calls, without their paths and queries", async () => {
    await expect(fetched()).rejects.toThrow();
    const [call] = listEgressCalls(test.actors.owner);
    expect(call).toMatchObject({ purpose: "test", host: "127.0.0.1", verdict: "refused" });
    expect(JSON.stringify(call)).not.toContain("secret");
  });
});
