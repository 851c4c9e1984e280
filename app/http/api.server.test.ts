import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { created, page } from "~/platform/endpoint/answers.shared";
import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { openTestDatabase } from "../../tests/support/database";
import { answerCall, offerApi } from "./api.server";
import type { EdgeContext } from "./context";
import { openApiDocument } from "./openapi.server";

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
    path: "/api/secret",
    summary: "Signed in only",
    access: "providers.manage",
    handle: () => "seen",
  }),
]);

function ask(method: string, path = "/api/things/a", init: RequestInit = {}) {
  const request = new Request(`http://localhost${path}`, { method, ...init });
  return answerCall(request, { ...context });
}

describe("a call of the API", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    offerApi(things);
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
});
