import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

/** The CACM collection of abstracts and judged questions; see its README. */
const FOLDER = resolve("../shared/samples/cacm");

export interface CacmDocument {
  id: number;
  title: string;
  /** Abstract, authors and keywords. */
  body: string;
}

export interface CacmQuestion {
  text: string;
  relevant: ReadonlySet<number>;
}

export const hasCacm = existsSync(resolve(FOLDER, "cacm.all"));

type Fields = Partial<Record<string, string>>;

/** SMART's format: `.I` begins a record, other dotted letters a field. */
function readRecords(file: string): Fields[] {
  const records: Fields[] = [];
  let field = "";
  for (const line of readFileSync(resolve(FOLDER, file), "utf8").split(/\r?\n/)) {
    const mark = /^\.([A-Z])(?: +(\d+))? *$/.exec(line);
    if (mark?.[1] === "I" && mark[2]) records.push({});
    else if (mark?.[1]) field = mark[1];
    else {
      const record = records.at(-1);
      if (record) record[field] = record[field] ? `${record[field]}\n${line}` : line;
    }
  }
  return records;
}

/** Numbered by position: one record's own number is truncated. */
export function readDocuments(): CacmDocument[] {
  return readRecords("cacm.all").map(({ T = "", W, A, K }, index) => ({
    id: index + 1,
    title: T.replace(/\s+/g, " ").trim(),
    body: [W, A, K].filter(Boolean).join("\n"),
  }));
}

/** The 52 judged questions. */
export function readQuestions(): CacmQuestion[] {
  const relevant = new Map<number, Set<number>>();
  for (const line of readFileSync(resolve(FOLDER, "qrels.text"), "utf8").split(/\r?\n/)) {
    const [question, document] = line.trim().split(/\s+/).map(Number);
    if (!question || !document) continue;
    relevant.set(question, (relevant.get(question) ?? new Set()).add(document));
  }
  return readRecords("query.text").flatMap(({ W = "" }, index) => {
    const answers = relevant.get(index + 1);
    return answers ? [{ text: W.replace(/\s+/g, " ").trim(), relevant: answers }] : [];
  });
}

export interface Quality {
  ndcg: number;
  recall: number;
  /** Mean average precision. */
  map: number;
}

const gainAt = (index: number) => 1 / Math.log2(index + 2);

export function judge(questions: readonly CacmQuestion[], run: readonly (readonly number[])[]): Quality {
  const sum = { ndcg: 0, recall: 0, map: 0 };
  for (const [number, { relevant }] of questions.entries()) {
    let [gain, ideal, hits, early, precision] = [0, 0, 0, 0, 0];
    for (const [index, id] of (run[number] ?? []).entries()) {
      if (!relevant.has(id)) continue;
      hits += 1;
      precision += hits / (index + 1);
      if (index >= 10) continue;
      gain += gainAt(index);
      early += 1;
    }
    for (let index = 0; index < Math.min(10, relevant.size); index++) ideal += gainAt(index);
    sum.ndcg += gain / ideal / questions.length;
    sum.recall += early / relevant.size / questions.length;
    sum.map += precision / relevant.size / questions.length;
  }
  return sum;
}
