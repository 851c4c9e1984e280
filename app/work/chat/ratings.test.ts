import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { addConversation } from "../../../tests/support/conversations";
import { openTestDatabase } from "../../../tests/support/database";
import { putFeedback } from "./ratings.repo.server";
import { RatingsQuery } from "./ratings.schema";
import { countRatings, findRating, listRatings, rateAnswer } from "./ratings.service.server";

const RANGE = { from: 1_000, before: 2_000 };

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  const said = [
    { role: "user" as const, text: "Why?" },
    { role: "assistant" as const, text: "Because." },
    { role: "user" as const, text: "And?" },
    { role: "assistant" as const, text: "So." },
  ];
  addConversation("con_1", said);
  addConversation("con_2", said, { userId: test.actors.admin.userId });
  const setModel = rawDatabase().prepare("UPDATE messages SET model = ? WHERE id = ?");
  for (const id of ["msg_con_1_1", "msg_con_2_1"]) setModel.run("alpha", id);
  setModel.run("beta", "msg_con_1_3");
  setClock(() => 1_500);
});
afterEach(() => {
  setClock();
  test.close();
});
afterAll(closeWorkerPools);

it("counts all ratings for admins, own ones for others", async () => {
  const { member, admin } = test.actors;
  const rate = (actor: typeof member, id: string, messageId: string, rating: "up" | "down") =>
    rateAnswer(actor, id, { messageId, rating, comment: null });
  rate(member, "con_1", "msg_con_1_1", "up");
  rate(member, "con_1", "msg_con_1_3", "down");
  rate(admin, "con_2", "msg_con_2_1", "down");
  expect(await countRatings(member, RANGE)).toEqual([
    { model: "alpha", up: 1, down: 0 },
    { model: "beta", up: 0, down: 1 },
  ]);
  expect(await countRatings(admin, RANGE)).toEqual([
    { model: "alpha", up: 1, down: 1 },
    { model: "beta", up: 0, down: 1 },
  ]);
  expect(await countRatings(admin, { ...RANGE, person: member.userId, model: "alpha" })).toEqual([
    { model: "alpha", up: 1, down: 0 },
  ]);
  expect(await countRatings(member, { ...RANGE, person: admin.userId })).toHaveLength(2);
});

it("excludes ratings outside the period", async () => {
  const { userId } = test.actors.member;
  const base = { userId, rating: "up" as const, comment: null, createdAt: 1 };
  putFeedback(db(), { ...base, messageId: "msg_con_1_1", updatedAt: 999 });
  putFeedback(db(), { ...base, messageId: "msg_con_1_3", updatedAt: 2_000 });
  expect(await countRatings(test.actors.member, RANGE)).toEqual([]);
});

it("is listed with its texts for its author, and for admins where the author shares it", async () => {
  const { member, admin, viewer } = test.actors;
  const list = async (actor: typeof member, query: object = {}) =>
    (await listRatings(actor, RatingsQuery.parse(query))).ratings;
  const rate = (messageId: string, rating: "up" | "down", shared?: boolean) =>
    rateAnswer(member, "con_1", { messageId, rating, comment: "Dry", shared });
  rate("msg_con_1_1", "down");
  setClock(() => 1_600);
  rate("msg_con_1_3", "up", true);
  const texts = (ratings: Awaited<ReturnType<typeof list>>) =>
    ratings.map(({ readable, question, answer, comment }) => [readable, question, answer, comment]);
  expect(texts(await list(member))).toEqual([
    [true, "And?", "So.", "Dry"],
    [true, "Why?", "Because.", "Dry"],
  ]);
  expect(texts(await list(admin))).toEqual([
    [true, "And?", "So.", "Dry"],
    [false, null, null, null],
  ]);
  expect(await list(viewer)).toEqual([]);
  expect(await list(admin, { rating: "down", model: "alpha", person: member.userId })).toHaveLength(1);
  const { next } = await listRatings(admin, RatingsQuery.parse({ limit: 1 }));
  expect(await list(admin, { cursor: next })).toMatchObject([{ messageId: "msg_con_1_1", rating: "down" }]);
  // Another comment leaves the sharing as it is.
  rate("msg_con_1_3", "up");
  expect(await findRating(admin, "msg_con_1_3", member.userId)).toMatchObject({ answer: "So." });
  await expect(findRating(admin, "msg_con_1_1", member.userId)).resolves.toBeUndefined();
  await expect(findRating(viewer, "msg_con_1_3", member.userId)).resolves.toBeUndefined();
  // Quoted documents may be hidden from admins.
  rawDatabase().prepare("UPDATE conversations SET restricted_at = 1").run();
  await expect(findRating(admin, "msg_con_1_3", member.userId)).resolves.toBeUndefined();
  expect(await findRating(member, "msg_con_1_3", member.userId)).toMatchObject({ answer: "So." });
});
