import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type MockServer, startMockServer } from "./mock-server";

interface Point {
  id: number;
  vector: number[];
  payload: { documentId: string; open: boolean; mark: string };
}

type Match = { value: unknown } | { any: unknown[] };
type Condition = { key: "documentId" | "open"; match: Match } | { must?: Condition[]; should?: Condition[] };

interface Body {
  filter?: Condition;
  points?: Point[] | number[];
  payload?: { open: boolean };
  query?: number[];
  limit?: number;
  offset?: number;
  params?: { exact?: boolean; hnsw_ef?: number };
  vectors?: { size: number };
}

function fits(point: Point, filter: Condition | undefined): boolean {
  if (!filter) return true;
  if ("key" in filter) {
    const value = point.payload[filter.key];
    return "any" in filter.match ? filter.match.any.includes(value) : filter.match.value === value;
  }
  const { must = [], should = [] } = filter;
  return (
    must.every((one) => fits(point, one)) && (should.length === 0 || should.some((one) => fits(point, one)))
  );
}

const lengths = new WeakMap<number[], number>();
function lengthOf(vector: number[]): number {
  const known = lengths.get(vector) ?? Math.hypot(...vector);
  lengths.set(vector, known);
  return known;
}

const cosine = (one: number[], other: number[]) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0) /
  (lengthOf(one) * lengthOf(other) || 1);

/** Shares of the nearest that Qdrant 1.18.3 found among 24,097 chunks, by `hnsw_ef`; 128 is its default. */
const RECALL = [
  [1024, 0.98],
  [512, 0.89],
  [256, 0.79],
  [0, 0.58],
] as const;

/** Whether an approximate search comes by a point: always the same ones. */
function isReached(id: number, { exact, hnsw_ef = 128 }: NonNullable<Body["params"]>): boolean {
  const share = exact ? 1 : (RECALL.find(([ef]) => hnsw_ef >= ef)?.[1] ?? 1);
  return createHash("sha256").update(String(id)).digest().readUInt32BE() / 2 ** 32 < share;
}

export interface QdrantFake extends MockServer {
  collections: Map<string, { size: number; points: Map<number, Point>; options: object }>;
  /** Responds with this status while set. */
  failWith(status: number | undefined): void;
  /** Takes requests and doesn't answer, like a stopped process, until it is called with false. */
  hang(isHanging?: boolean): void;
  /**
   * Whether it has ordered its points; before, every search is exact. Grey: a restart ended its work, which goes on with
   * the next write or change of options.
   */
  settle(state: "green" | "yellow" | "grey"): void;
}

/** The used part of Qdrant's REST API in memory, as a real 1.18.3 was seen to answer. */
export async function openQdrantFake(key?: string): Promise<QdrantFake> {
  const collections: QdrantFake["collections"] = new Map();
  let failing: number | undefined;
  let state: "green" | "yellow" | "grey" = "green";
  let isHanging = false;
  const held: (() => void)[] = [];

  function answer(method: string, path: string, body: Body): { status: number; result: unknown } {
    const [, , name = "", what = "", how = ""] = path.split("/");
    const ok = (result: unknown) => ({ status: 200, result });
    if (method === "PUT" && what === "") {
      if (collections.has(name)) return { status: 409, result: null };
      collections.set(name, { size: body.vectors?.size ?? 0, points: new Map(), options: body });
      return ok(true);
    }
    if (method === "DELETE" && what === "") return ok(collections.delete(name));
    if (what === "exists") return ok({ exists: collections.has(name) });
    const collection = collections.get(name);
    if (!collection) return { status: 404, result: null };
    const isWrite = method === "PATCH" || method === "PUT" || how === "delete" || how === "payload";
    if (isWrite && state === "grey") state = "green";
    if (method === "PATCH" && what === "") return ok(true);
    const { size, points } = collection;
    if (what === "") return ok({ status: state, config: { params: { vectors: { size } } } });
    const all = [...points.values()];
    const done = { operation_id: 1, status: "completed" };
    if (what === "index") return ok(done);
    if (method === "PUT" && what === "points") {
      for (const point of (body.points ?? []) as Point[]) {
        if (point.vector.length !== size) return { status: 400, result: null };
        points.set(point.id, point);
      }
      return ok(done);
    }
    if (how === "delete") {
      for (const id of (body.points ?? []) as number[]) points.delete(id);
      return ok(done);
    }
    if (how === "payload") {
      for (const point of all) if (fits(point, body.filter)) Object.assign(point.payload, body.payload);
      return ok(done);
    }
    if (how === "scroll") {
      const { offset = 0, limit = 10 } = body;
      const rest = all.filter(({ id }) => id >= offset).sort((a, b) => a.id - b.id);
      const page = rest.slice(0, limit).map(({ id, payload }) => ({ id, payload }));
      return ok({ points: page, next_page_offset: rest[limit]?.id ?? null });
    }
    if (how === "query") {
      const found = all
        .filter((point) => fits(point, body.filter))
        .filter(({ id }) => state !== "green" || isReached(id, body.params ?? {}))
        .map(({ id, vector }) => ({ id, version: 1, score: cosine(vector, body.query ?? []) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, body.limit);
      return ok({ points: found });
    }
    return { status: 404, result: null };
  }

  const send = (response: ServerResponse, status: number, result: object) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ time: 0, ...result }));
  };
  const end = await startMockServer((request, response) => {
    const reply = () => {
      if (failing) return send(response, failing, { status: { error: "out of order" } });
      if (key && request.headers["api-key"] !== key) return send(response, 401, { status: { error: "no" } });
      const path = (request.url ?? "").split("?")[0] ?? "";
      const { status, result } = answer(
        request.method ?? "",
        path,
        request.text ? (JSON.parse(request.text) as Body) : {},
      );
      send(response, status, status < 400 ? { status: "ok", result } : { status: { error: "no" }, result });
    };
    if (isHanging) held.push(reply);
    else reply();
  });
  return Object.assign(end, {
    collections,
    failWith: (status: number | undefined) => {
      failing = status;
    },
    settle: (next: typeof state) => {
      state = next;
    },
    hang: (hanging = true) => {
      isHanging = hanging;
      // What was sent meanwhile is carried out, as after SIGCONT.
      if (!hanging) for (const reply of held.splice(0)) reply();
    },
  });
}
