import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Role } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { Program } from "~/platform/endpoint/endpoint.shared";
import { created, endpoint, endpoints, page } from "~/platform/endpoint/endpoint.shared";
import { createToken } from "~/team/members/token.service.server";
import { openTestDatabase } from "../../tests/support/database";
import { answerCall, offerApi } from "./api.server";
import { openApiDocument } from "./api-description.server";
import type { EdgeContext } from "./context.server";

const context: EdgeContext = {
  cspNonce: "n",
  requestId: "req_1",
  address: "127.0.0.1",
  secure: false,
  origin: "http://localhost",
  closed: new AbortController().signal,
  waiting: () => 0,
  cutOff: () => {},
  retryAfter: () => {},
  afterwards: () => {},
};

const things = endpoints("Things", [
  endpoint({
    method: "GET",
    path: "/api/things/{id}",
    summary: "A page of things",
    access: "public",
    params: z.object({ id: z.string().max(3, "Unknown id") }),
    query: z.object({ limit: z.coerce.number().int().max(10).default(2) }),
    response: z.array(z.number()),
    handle: ({ query }) => page([1, 2].slice(0, query.limit), "next page"),
  }),
  endpoint({
    method: "POST",
    path: "/api/things/{id}",
    summary: "Make a thing",
    access: "public",
    params: z.object({ id: z.string() }),
    body: z.object({ name: z.string().min(1, "Name is required") }),
    status: 201,
    handle: ({ body }) => created(body, "/api/things/1"),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/things/{id}",
    summary: "Fail",
    access: "public",
    handle: () => {
      throw new Error("secret inside");
    },
  }),
  endpoint({
    method: "PUT",
    path: "/api/bodies",
    summary: "A long text",
    access: "public",
    maxBytes: 2 * 1024 * 1024,
    body: z.object({ text: z.string() }),
    handle: ({ body }) => body.text.length,
  }),
  endpoint({
    method: "POST",
    path: "/api/bodies",
    summary: "Some files, or a text",
    access: "public",
    upload: { maxBytes: 1000, fileBytes: 1000, files: 2 },
    handle: async ({ parts, json, headers }) => {
      if (headers.get("content-type")?.includes("json")) return json();
      const names: string[] = [];
      for await (const part of parts()) names.push(part.name);
      return names;
    },
  }),
  endpoint({
    method: "PATCH",
    path: "/api/bodies",
    summary: "No files",
    access: "public",
    handle: async ({ parts }) => {
      for await (const _ of parts());
    },
  }),
  endpoint({
    method: "GET",
    path: "/own/{id}",
    takesRest: true,
    summary: "Who asks, and for what",
    access: "screens.read",
    params: z.object({ id: z.string() }),
    handle: ({ actor, params }) => `${actor.userId} ${params.id}`,
  }),
  endpoint({
    method: "POST",
    path: "/hooks/{id}",
    summary: "What was sent, and whether the caller is known",
    access: "public",
    params: z.object({ id: z.string() }),
    handle: async ({ actor, raw }) => `${actor?.userId} ${await raw()}`,
  }),
  endpoint({
    method: "GET",
    path: "/api/secret",
    summary: "Signed in only",
    access: "providers.manage",
    handle: () => "seen",
  }),
]);

/** Calls of programs: by a token, in a protocol of their own, and by anyone. */
const programs: Program[] = [
  {
    under: "/own",
    callers: "tokens",
    refuse: ({ code }, requestId) => ({ status: 418, body: { code, requestId } }),
  },
  { under: "/hooks", callers: "anyone" },
];

function ask(method: string, path = "/api/things/a", init: RequestInit = {}) {
  const request = new Request(`http://localhost${path}`, { method, ...init });
  return answerCall(request, { ...context });
}

describe("a call of the API", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    offerApi(things, programs);
  });
  afterEach(() => test.close());

  it("answers JSON with the next page in Link", async () => {
    const response = await ask("GET", "/api/things/a?limit=1&x=y");
    expect(await response.json()).toEqual([1]);
    expect(response.headers.get("link")).toBe('</api/things/a?limit=1&x=y&cursor=next+page>; rel="next"');
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("answers HEAD like GET without the body", async () => {
    const response = await ask("HEAD");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.text()).toBe("");
  });

  it("names the methods there are", async () => {
    const response = await ask("PATCH");
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD, POST, DELETE");
  });

  it("refuses query, address and body by field", async () => {
    expect(await (await ask("GET", "/api/things/a?limit=99")).json()).toMatchObject({
      errors: { limit: [expect.any(String)] },
    });
    const wrong = JSON.stringify(await (await ask("GET", "/api/things/a?limit=abc")).json());
    expect(wrong).toContain("Enter a number");
    expect(wrong).not.toMatch(/Invalid input|NaN/);
    expect(await (await ask("GET", "/api/things/long")).json()).toMatchObject({
      errors: { id: ["Unknown id"] },
    });
    const init = { body: '{"name":""}', headers: { "content-type": "application/json" } };
    const response = await ask("POST", "/api/things/a", init);
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toContain("application/problem+json");
    expect(await response.json()).toMatchObject({
      status: 400,
      errors: { name: ["Name is required"] },
      requestId: "req_1",
    });
  });

  it("tells a person who opened the address in words what is wrong", async () => {
    const headers = { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" };
    const page = await ask("GET", "/api/things/a?limit=abc", { headers });
    const text = await page.text();
    expect([page.status, page.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
    expect(text).toContain("<h1>Bad request</h1>");
    expect(text).toContain("Enter a number");
    const program = await ask("GET", "/api/things/a?limit=abc", { headers: { accept: "*/*" } });
    expect(program.headers.get("content-type")).toContain("application/problem+json");
  });

  it("reads as much of a body as the endpoint declares", async () => {
    const headers = { "content-type": "application/json" };
    const send = async (method: string, length: number) => {
      const body = JSON.stringify({ text: "x".repeat(length) });
      const response = await ask(method, "/api/bodies", { body, headers });
      return [response.status, (await response.text()).slice(0, 20)];
    };
    expect(await send("PUT", 1_500_000)).toEqual([200, "1500000"]);
    expect((await send("PUT", 2_500_000))[0]).toBe(413);
    expect((await send("POST", 100))[0]).toBe(200);
    expect((await send("POST", 1_500_000))[0]).toBe(413);
  });

  it("reads files only where the endpoint takes some, and no more than it allows", async () => {
    const send = async (method: string, content: string) => {
      const body = new FormData();
      body.set("note", "hello");
      body.set("file", new File([content], "a.txt"));
      const response = await ask(method, "/api/bodies", { body });
      return { status: response.status, body: await response.json() };
    };
    expect(await send("POST", "content")).toEqual({ status: 200, body: ["note", "file"] });
    expect((await send("POST", "x".repeat(2000))).status).toBe(413);
    expect((await send("PATCH", "content")).status).toBe(415);
  });

  it("responds 201 with the address", async () => {
    const init = { body: '{"name":"x"}', headers: { "content-type": "application/json" } };
    const response = await ask("POST", "/api/things/a", init);
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toBe("/api/things/1");
  });

  it("reveals nothing about an unexpected error", async () => {
    const response = await ask("DELETE");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret");
  });

  it("authenticates before anything else", async () => {
    const response = await ask("GET", "/api/secret");
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="API"');
    const wrong = await ask("GET", "/api/secret", { headers: { authorization: "Bearer qd_wrong" } });
    expect(wrong.status).toBe(401);
  });

  it("has one spelling, which the edge's limits go by", async () => {
    expect((await ask("GET", "/api/things/%61")).status).toBe(200);
    for (const path of ["/%61pi/things/a", "/api/th%69ngs/a", "/API/things/a"])
      expect([path, (await ask("GET", path)).status]).toEqual([path, 404]);
  });

  it("is in the OpenAPI document with its schemas", () => {
    const paths = openApiDocument("http://localhost", "Quarterdeck").paths as Record<
      string,
      Record<string, Record<string, unknown>>
    >;
    expect(paths["/api/things/{id}"]?.post).toMatchObject({
      requestBody: { content: { "application/json": { schema: { required: ["name"] } } } },
      parameters: [{ name: "id", in: "path", required: true }],
    });
    expect(paths["/api/secret"]?.get).toMatchObject({ security: [{ token: [] }, { session: [] }] });
  });

  describe("of programs", () => {
    const counted: (string | undefined)[] = [];
    let limit = 10;
    const call = (method: string, path: string, init: RequestInit = {}) =>
      answerCall(new Request(`http://localhost${path}`, { method, ...init }), context, (actor) => {
        counted.push(actor?.userId);
        return counted.length > limit ? new AppError("rate_limited", "Too many.") : undefined;
      });
    const tokenOf = (role: Role) =>
      createToken({ kind: "user", orgId: "org_test", userId: `usr_${role}`, role }, { name: "one" }).token;
    beforeEach(() => {
      counted.length = 0;
      limit = 10;
    });

    it("takes a token in either header, the rest of an address, and refuses in the caller's protocol", async () => {
      const token = tokenOf("member");
      for (const header of [["authorization", `Bearer ${token}`] as const, ["x-api-key", token] as const]) {
        const answer = await call("GET", "/own/a%2Fb/c", { headers: Object.fromEntries([header]) });
        expect([answer.status, await answer.json()]).toEqual([200, "usr_member a/b/c"]);
      }
      const refused: unknown[] = [];
      for (const [method, path, key] of [
        ["GET", "/own/a", ""],
        ["GET", "/own", token],
        ["PUT", "/own/a", token],
        ["GET", "/own/a", "qd_wrong"],
      ] as const) {
        const answer = await call(method, path, { headers: { "x-api-key": key } });
        refused.push([answer.status, await answer.json(), answer.headers.get("allow")]);
      }
      const refusal = (code: string, allow: string | null = null) => [
        418,
        { code, requestId: "req_1" },
        allow,
      ];
      expect(refused).toEqual([
        refusal("unauthenticated"),
        refusal("not_found"),
        refusal("method_not_allowed", "GET, HEAD"),
        refusal("unauthenticated"),
      ]);
      // Nobody's calls count by address.
      expect(counted).toEqual(["usr_member", "usr_member", undefined, "usr_member", "usr_member", undefined]);
    });

    it("is counted before anything else", async () => {
      limit = 0;
      const answers = [
        call("GET", "/own/a", { headers: { "x-api-key": tokenOf("member") } }),
        call("POST", "/hooks/a"),
      ];
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([418, 429]);
    });

    it("of anyone looks at no token or cookie, and has the body as it was sent", async () => {
      const headers = { authorization: "Bearer of-another-system", "content-type": "text/odd" };
      const answer = await call("POST", "/hooks/a", { headers, body: "\u0000{" });
      expect(await answer.json()).toBe("undefined \u0000{");
    });
  });
});
