import { afterAll, beforeAll, expect, it } from "vitest";
import { type AttackedServer, isWholeMatrix, startAttacked } from "../support/attack";
import { HOSTILE_FILES } from "../support/hostile-files";
import { batchEnded, upload } from "../support/uploads";

/** Storing a file of a megabyte and listing its batch again and again are turns of their own. */
const FILE_TURN_MS = 50;

let attacked: AttackedServer;
beforeAll(async () => {
  attacked = await startAttacked();
  const { server } = attacked;
  for (const name of ["first.txt", "second.html"]) {
    const { batchId } = await upload(server, [[name, `A lamp is lit at dusk, says ${name}.`]]);
    await batchEnded(server, batchId);
  }
});
afterAll(() => attacked.server.close());

/** The short form: `documents.test.ts` reads each of them. */
const QUICK = ["HTML nested 300,000 deep", "a Word file that unpacks without end"];

it.each(HOSTILE_FILES.filter(({ what }) => isWholeMatrix || QUICK.includes(what)))(
  "$what is refused, while others are answered and the console grows by nothing of it",
  async ({ name, make, message }) => {
    const { server } = attacked;
    let reason: string | null | undefined;
    const cost = await attacked.cost(async () => {
      const { batchId } = await upload(server, [[name, new Uint8Array(make())]]);
      expect((await server.ask("/api/auth/user", { as: "viewer" })).status).toBe(200);
      reason = (await batchEnded(server, batchId, 120_000)).documents[0]?.error;
    });
    const seen = JSON.stringify({ reason, ...cost });
    expect(reason, seen).toMatch(message);
    expect(cost.longest, seen).toBeLessThan(FILE_TURN_MS);
    expect(cost.grownMb, seen).toBeLessThan(150);
  },
);
