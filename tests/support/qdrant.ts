import { type MockServer, startMockServer } from "./mock-server";

interface Point {
  id: number;
  vector: number[];
  payload: { documentId: string; open: boolean };
}

type Match = { value: unknown } | { any: unknown[] };
type Condition = { key: "documentId" | "open"; match: Match } | { must?: Condition[]; should?: Condition[] };

interface Body {
  filter?: Condition;
  points?: Point[] | number[];
  payload?: { open: boolean };
  query?: number[];
  limit?: number;
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

const cosine = (one: number[], other: number[]) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0) /
  (Math.hypot(...one) * Math.hypot(...other) || 1);

export interface QdrantFake extends MockServer {
  collections: Map<string, { size: number; points: Map<number, Point> }>;
  /** Responds with this status while set. */
  failWith(status: number | undefined): void;
}

/** The used part of Qdrant's REST API, in memory and exact. */
export async function openQdrantFake(key?: string): Promise<QdrantFake> {
  const collections: QdrantFake["collections"] = new Map();
  let failing: number | undefined;

  function answer(method: string, path: string, body: Body): { status: number; result: unknown } {
    const [, , name = "", what = "", how = ""] = path.split("/");
    const ok = (result: unknown) => ({ status: 200, result });
    if (method === "PUT" && what === "") {
      if (collections.has(name)) return { status: 409, result: null };
      collections.set(name, { size: body.vectors?.size ?? 0, points: new Map() });
      return ok(true);
    }
    if (method === "DELETE" && what === "") return ok(collections.delete(name));
    if (what === "exists") return ok({ exists: collections.has(name) });
    const collection = collections.get(name);
    if (!collection) return { status: 404, result: null };
    const all = [...collection.points.values()];
    const done = { operation_id: 1, status: "completed" };
    if (what === "index") return ok(done);
    if (method === "PUT" && what === "points") {
      for (const point of (body.points ?? []) as Point[]) {
        if (point.vector.length !== collection.size) return { status: 400, result: null };
        collection.points.set(point.id, point);
      }
      return ok(done);
    }
    if (how === "delete") {
      for (const id of (body.points ?? []) as number[]) collection.points.delete(id);
      return ok(done);
    }
    if (how === "payload") {
      for (const point of all) if (fits(point, body.filter)) Object.assign(point.payload, body.payload);
      return ok(done);
    }
    if (how === "count") return ok({ count: all.filter((point) => fits(point, body.filter)).length });
    if (how === "query") {
      const points = all
        .filter((point) => fits(point, body.filter))
        .map(({ id, vector }) => ({ id, version: 1, score: cosine(vector, body.query ?? []) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, body.limit);
      return ok({ points });
    }
    return { status: 404, result: null };
  }

  const end = await startMockServer((request, response) => {
    const send = (status: number, result: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ time: 0, ...result }));
    };
    if (failing) return send(failing, { status: { error: "out of order" } });
    if (key && request.headers["api-key"] !== key) return send(401, { status: { error: "no" } });
    const path = (request.url ?? "").split("?")[0] ?? "";
    const { status, result } = answer(
      request.method ?? "",
      path,
      request.text ? (JSON.parse(request.text) as Body) : {},
    );
    send(status, status < 400 ? { status: "ok", result } : { status: { error: "no" }, result });
  });
  return Object.assign(end, {
    collections,
    failWith: (status: number | undefined) => {
      failing = status;
    },
  });
}
