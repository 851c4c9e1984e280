import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Actor } from "~/core/actor";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { listAudit } from "~/platform/audit/audit.service.server";
import { liveVersion, subscribe } from "~/platform/events/events.service.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import {
  chunkSets,
  documentCategories,
  documentReaders,
  documents,
  embeddingSpaces,
  organisations,
  searchIndexes,
} from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { searchJobs } from "../search.jobs.server";
import { readCheckScreen } from "./check-screen.service.server";
import { CheckScreenQuery } from "./retrieval-check.schema";
import {
  findRequestedCheck,
  listRuns,
  readRun,
  runRequestedCheck,
  startCheck,
  stopCheck,
} from "./retrieval-check.service.server";
import {
  addQuestion,
  changeQuestion,
  deleteQuestion,
  listQuestions,
  readQuestion,
} from "./retrieval-questions.service.server";
import type { SearchOnce } from "./run-check.server";

let test: ReturnType<typeof openTestDatabase>;
let viewer: Actor;
let member: Actor;
let admin: Actor;

/** A document visible to everyone, or only to its creator and named readers. */
function addDocument(id: string, named?: { by: string; readers?: string[] }): string {
  transaction((tx) => {
    tx.insert(documents)
      .values({
        id,
        orgId: ORG_ID,
        name: `Name of ${id}`,
        type: "text",
        source: "",
        categoryId: "cat",
        status: "ready",
        visibility: named ? "named" : "organisation",
        createdBy: named?.by ?? "usr_member",
        createdAt: 1,
        updatedAt: 1,
      })
      .run();
    for (const userId of named?.readers ?? [])
      tx.insert(documentReaders).values({ documentId: id, userId }).run();
  });
  return id;
}

function addIndex(state: "serving" | "building", withVectors: boolean): number {
  return transaction((tx) => {
    const spaceId = withVectors
      ? tx
          .insert(embeddingSpaces)
          .values({
            orgId: ORG_ID,
            key: `k${state}`,
            kind: "lexical",
            model: "built-in",
            dimensions: 384,
            createdAt: 1,
          })
          .returning()
          .get().id
      : null;
    const chunkSetId = tx
      .insert(chunkSets)
      .values({ orgId: ORG_ID, key: `v1/400/${state.length}`, createdAt: 1 })
      .returning()
      .get().id;
    return tx
      .insert(searchIndexes)
      .values({
        orgId: ORG_ID,
        chunkSetId,
        spaceId,
        store: withVectors ? "sqlite" : "none",
        state,
        done: 5,
        total: 5,
        createdBy: "usr_admin",
        createdAt: 1,
      })
      .returning()
      .get().id;
  });
}

const passage = (documentId: string, quote = "twenty eight days of holidays") => ({ documentId, quote });
const chunk = (documentId: string, text = "Everyone has twenty-eight days of holidays.") => ({
  documentId,
  text,
});

let stopJobs: () => Promise<void>;
let searching: SearchOnce;
/** Requests a check with the given search function. */
const check = (actor: Actor, search: SearchOnce) => {
  searching = search;
  return startCheck(actor);
};

beforeEach(() => {
  test = openTestDatabase();
  ({ viewer, member, admin } = test.actors);
  transaction((tx) => {
    tx.delete(documentCategories).run();
    tx.insert(documentCategories)
      .values({ id: "cat", orgId: ORG_ID, name: "Uncategorized", position: 0, fixed: true, createdAt: 1 })
      .run();
  });
  addDocument("doc_a");
  addDocument("doc_b");
  stopJobs = startJobs(searchJobs((...search) => searching(...search)));
});
afterEach(async () => {
  await stopJobs();
  test.close();
});

describe("saved questions", () => {
  it("are kept with their passages, in the order they were added", () => {
    const first = addQuestion(member, { question: "How many holidays?", passages: [passage("doc_a")] });
    addQuestion(member, {
      question: "When is lunch?",
      passages: [passage("doc_b", "at noon"), passage("doc_a")],
    });
    expect(first).toMatchObject({
      question: "How many holidays?",
      passages: [{ documentId: "doc_a", document: "Name of doc_a", quote: "twenty eight days of holidays" }],
    });
    expect(listQuestions(viewer).map(({ question, passages }) => [question, passages.length])).toEqual([
      ["How many holidays?", 1],
      ["When is lunch?", 2],
    ]);
    expect(readQuestion(viewer, first.id)).toEqual(first);
  });

  it("can be changed and deleted", () => {
    const { id } = addQuestion(member, { question: "Holidays?", passages: [passage("doc_a")] });
    expect(changeQuestion(member, id, { question: "How many holidays?" }).passages).toHaveLength(1);
    expect(changeQuestion(member, id, { passages: [passage("doc_b", "noon")] })).toMatchObject({
      question: "How many holidays?",
      passages: [{ documentId: "doc_b", quote: "noon" }],
    });
    deleteQuestion(member, id);
    expect(listQuestions(viewer)).toEqual([]);
    expect(() => deleteQuestion(member, id)).toThrow("Question not found");
  });

  it("accept only documents visible to everyone", () => {
    addDocument("doc_secret", { by: "usr_admin", readers: ["usr_member"] });
    const refused = expect.objectContaining({ code: "invalid" });
    for (const actor of [admin, member])
      expect(() => addQuestion(actor, { question: "x", passages: [passage("doc_secret")] })).toThrow(refused);
    const { id } = addQuestion(member, {
      question: "Holidays?",
      passages: [passage("doc_a"), passage("doc_b")],
    });
    expect(() => changeQuestion(member, id, { passages: [passage("doc_none")] })).toThrow(refused);
    rawDatabase().exec("UPDATE documents SET visibility = 'named' WHERE id = 'doc_a'");
    expect(readQuestion(admin, id).passages.map(({ documentId }) => documentId)).toEqual(["doc_b"]);
  });

  it("can't be changed by viewers or seen by other organisations", () => {
    const { id } = addQuestion(member, { question: "Holidays?", passages: [passage("doc_a")] });
    const refused = expect.objectContaining({ code: "forbidden" });
    expect(() => addQuestion(viewer, { question: "x", passages: [passage("doc_a")] })).toThrow(refused);
    expect(() => changeQuestion(viewer, id, { question: "x" })).toThrow(refused);
    expect(() => deleteQuestion(viewer, id)).toThrow(refused);
    expect(() => startCheck(viewer)).toThrow(refused);
    transaction((tx) =>
      tx.insert(organisations).values({ id: "org_other", name: "Other", createdAt: 1 }).run(),
    );
    const stranger = { ...member, orgId: "org_other" };
    expect(() => readQuestion(stranger, id)).toThrow(expect.objectContaining({ code: "not_found" }));
    expect(() => addQuestion(stranger, { question: "x", passages: [passage("doc_a")] })).toThrow(
      "Questions can only use",
    );
    expect(listQuestions(stranger)).toEqual([]);
  });

  it("are audited", () => {
    const { id } = addQuestion(member, { question: "Holidays?", passages: [passage("doc_a")] });
    changeQuestion(member, id, { question: "x" });
    deleteQuestion(member, id);
    expect(listAudit(admin, { limit: 9 }).entries.map(({ action }) => action)).toEqual([
      "retrieval_question.deleted",
      "retrieval_question.updated",
      "retrieval_question.created",
    ]);
  });

  it("are at most 500", () => {
    transaction(() => {
      for (let n = 0; n < 500; n++)
        rawDatabase()
          .prepare("INSERT INTO retrieval_questions VALUES (?, ?, ?, 'usr_member', 1, 1)")
          .run(`q${n}`, ORG_ID, `Q${n}`);
    });
    expect(() => addQuestion(member, { question: "One more", passages: [passage("doc_a")] })).toThrow(
      "at most 500",
    );
  });
});

describe("a check", () => {
  /** Finds the passage second by keywords, first otherwise, and nothing for lunch. */
  const search: SearchOnce = async (_index, _actor, query, topK, mode) => {
    expect(topK).toBe(10);
    if (query.includes("lunch")) return [chunk("doc_b", "nothing")];
    return mode === "keywords" ? [chunk("doc_b"), chunk("doc_a")] : [chunk("doc_a"), chunk("doc_b")];
  };
  const finish = async (run: { id: string }, reader = viewer) => {
    await expect
      .poll(() => [listRuns(viewer, 1)[0]?.state, findRequestedCheck(db(), ORG_ID)])
      .toEqual(["done", undefined]);
    return readRun(reader, run.id);
  };

  it("measures every search mode of the active index, and reports each question's rank", async () => {
    addIndex("serving", true);
    addQuestion(member, { question: "How many holidays?", passages: [passage("doc_a")] });
    addQuestion(member, { question: "When is lunch?", passages: [passage("doc_b", "at noon sharp")] });
    const begun = check(member, search);
    expect(begun).toMatchObject({ state: "running", questions: 2, judged: 2, total: 6 });
    expect(() => check(member, search)).toThrow("already running");
    const run = await finish(begun);
    expect(run.settings.map(({ mode, hitRate, mrr, ndcg }) => [mode, hitRate, mrr, ndcg])).toEqual([
      ["keywords", 0.5, 0.25, expect.closeTo(0.3155, 4)],
      ["vectors", 0.5, 0.5, 0.5],
      ["hybrid", 0.5, 0.5, 0.5],
    ]);
    expect(run.settings[0]).toMatchObject({
      embedder: "the built-in lexical embedder",
      chunking: "400 tokens, 7 overlap",
      store: "sqlite",
    });
    expect(run.results[run.settings[0]?.id ?? ""]).toEqual([
      expect.objectContaining({ question: "How many holidays?", judged: true, firstRank: 2 }),
      expect.objectContaining({ question: "When is lunch?", judged: true, firstRank: null, ndcg: 0 }),
    ]);
    expect(listAudit(admin, { limit: 1 }).entries[0]).toMatchObject({
      action: "retrieval_check.finished",
      details: { questions: 2, judged: 2, settings: 3 },
    });
  });

  it("searches public documents only, and skips documents restricted later", async () => {
    addIndex("serving", false);
    addDocument("doc_later");
    addQuestion(admin, { question: "How many holidays?", passages: [passage("doc_later")] });
    const search: SearchOnce = async (_index, actor) => {
      expect(actor).toMatchObject({ userId: "system", role: "viewer" });
      return [chunk("doc_later")];
    };
    expect(await finish(check(admin, search))).toMatchObject({ judged: 1, settings: [{ hitRate: 1 }] });
    rawDatabase().exec("UPDATE documents SET visibility = 'named' WHERE id = 'doc_later'");
    const after = await finish(check(admin, async () => expect.unreachable()));
    expect(after).toMatchObject({ questions: 1, judged: 0, settings: [{ hitRate: null }] });
    expect(after.results[after.settings[0]?.id ?? ""]).toEqual([expect.objectContaining({ judged: false })]);
  });

  it("is paged, with regressions counted across all pages", async () => {
    addIndex("serving", false);
    for (let n = 1; n <= 30; n++) {
      addQuestion(member, { question: `How many holidays in year ${n}?`, passages: [passage("doc_a")] });
    }
    await finish(check(member, search));
    await finish(check(member, async () => []));
    const read = (page: object) => readCheckScreen(viewer, CheckScreenQuery.parse(page));
    const first = read({});
    expect(first.questions).toMatchObject({ items: { length: 20 }, pageInfo: { page: 1, total: 30 } });
    expect(first.compared?.questions).toMatchObject({
      items: { length: 25 },
      pageInfo: { page: 1, total: 30 },
    });
    const second = read({ page: "2", list: "2" });
    expect(second.questions.items.map(({ question }) => question)).toHaveLength(10);
    expect(second.compared).toMatchObject({ worse: 30, better: 0, questions: { items: { length: 5 } } });
    const shown = [first, second].flatMap(({ compared }) => compared?.questions.items ?? []);
    expect(new Set(shown.map(({ questionId }) => questionId)).size).toBe(30);
    const [, , third] = second.questions.items;
    expect(read({ dialog: "delete", id: third?.id }).questionToDelete).toEqual(third);
  });

  it("is compared with another over the questions judged in both", async () => {
    addIndex("serving", false);
    addQuestion(member, { question: "How many holidays?", passages: [passage("doc_a")] });
    await finish(check(member, search));
    const first = readCheckScreen(viewer, CheckScreenQuery.parse({}));
    expect(first.figures).toEqual([expect.objectContaining({ shared: undefined })]);
    expect(first.history).toBeUndefined();
    addQuestion(member, { question: "When is lunch?", passages: [passage("doc_b", "at noon sharp")] });
    await finish(check(member, search));
    const both = readCheckScreen(viewer, CheckScreenQuery.parse({}));
    const [second] = both.figures;
    expect(both.history).toMatchObject({
      unit: "percent",
      series: [{ name: "Keywords" }],
      points: both.runs
        .toReversed()
        .map(({ id }, at) => ({ values: [at === 0 ? 100 : 50], to: `/rag/check?run=${id}` })),
    });
    // Questions that the previous check didn't ask are no regression.
    expect(second?.setting).toMatchObject({ hitRate: 0.5, mrr: 0.25 });
    expect(second?.shared).toEqual({
      questions: 1,
      before: { hitRate: 1, mrr: 0.5, ndcg: expect.closeTo(0.6309, 4) },
      after: { hitRate: 1, mrr: 0.5, ndcg: expect.closeTo(0.6309, 4) },
    });
  });

  it("records why a search failed in place of figures", async () => {
    addIndex("serving", false);
    addQuestion(member, { question: "How many holidays?", passages: [passage("doc_a")] });
    const begun = check(member, async () => {
      throw new AppError("provider_unavailable", "The embedder is down.");
    });
    const { settings } = await finish(begun);
    expect(settings).toMatchObject([{ error: "The embedder is down.", hitRate: null, ndcg: null }]);
  });

  it("stores nothing when stopped", async () => {
    addIndex("serving", false);
    addQuestion(member, { question: "How many holidays?", passages: [passage("doc_a")] });
    const begun = check(
      member,
      (_index, _actor, _query, _topK, _mode, signal) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    expect(readRun(viewer, begun.id)).toMatchObject({ state: "running", done: 0, total: 1 });
    await stopCheck(member);
    expect(listRuns(viewer, 5)).toEqual([]);
    await stopCheck(member);
    expect(listAudit(admin, { limit: 2 }).entries.map(({ action }) => action)).toEqual([
      "retrieval_check.stopped",
      "retrieval_check.started",
    ]);
  });

  it("needs questions and an index", () => {
    expect(() => check(member, search)).toThrow("no questions");
    addQuestion(member, { question: "How many holidays?", passages: [passage("doc_a")] });
    expect(() => check(member, search)).toThrow("no index");
  });

  it("reports progress to subscribers of its organization only", async () => {
    addIndex("serving", false);
    addQuestion(member, { question: "How many holidays?", passages: [passage("doc_a")] });
    const follow = (actor: Actor, listener: () => void) =>
      subscribe(
        actor,
        { topics: ["retrieval-checks"], isBehind: () => false, since: liveVersion() },
        listener,
      );
    const heard = vi.fn();
    const stops = [
      follow(viewer, heard),
      follow({ ...viewer, orgId: "org_other" }, () => expect.unreachable()),
    ];
    await finish(check(member, search));
    await expect.poll(() => heard).toHaveBeenCalled();
    for (const stop of stops) stop();
  });

  it("is kept with the thirty newest", async () => {
    addIndex("serving", false);
    addQuestion(member, { question: "How many holidays?", passages: [passage("doc_a")] });
    for (let n = 0; n < 32; n++)
      await runRequestedCheck(member, `rck_${n}`, new AbortController().signal, async () => []);
    expect(listRuns(viewer, 50)).toHaveLength(30);
    expect(() => readRun(viewer, "rck_gone")).toThrow("Check not found");
  });
});
