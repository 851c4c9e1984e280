import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROLES, type Role } from "~/core/actor";
import { permissions } from "~/platform/catalogue/permissions";
import type { Access } from "~/platform/endpoint/endpoint.shared";
import { dataAddress } from "../support/forms";
import { type Ask, startServer, type TestServer } from "../support/server";
import { type Address, readSitemap } from "../support/sitemap";
import { WHO_MAY, WHO_MAY_SEND, type Who } from "./who-may";

interface Operation {
  description?: string;
  requestBody?: { content?: Record<string, unknown> };
  parameters?: { in: string; required?: boolean }[];
}

interface Call {
  method: string;
  /** With parameters in braces. */
  path: string;
  who: Who;
}

const SAFE = "GET";
const API = /^\/(?:api|v1|mcp|metrics|healthz|readyz)(?:\/|$)/;
/** They would end the session of the calls that follow, or whoever asks. */
const ENDING = ["POST /api/logout", "POST /logout", "DELETE /api/auth/user", "DELETE /api/auth/sessions"];
/** Their addresses are the secret: nobody needs a session there. */
const WEBHOOKS = "/api/hooks/{token}";

const CALLS: Call[] = Object.entries(WHO_MAY).map(([call, who]) => {
  const [method = "", path = ""] = call.split(" ");
  return { method, path, who };
});
const nameOf = ({ method, path }: Call) => `${method} ${path}`;
const named = (calls: Call[]) => calls.map((call): [string, Call] => [nameOf(call), call]);
const UNSAFE = CALLS.filter(({ method }) => method !== SAFE);

let server: TestServer;
let addresses: Address[];
let documented: Map<string, Operation>;
/** Tokens that may do everything a role may but one thing. */
let narrow: Record<"reads" | "chats", string>;
beforeAll(async () => {
  server = await startServer();
  addresses = await readSitemap();
  const { paths } = (await (await server.ask("/api/openapi.json")).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  documented = new Map(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([name]) => name !== "parameters")
        .map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );
  narrow = {
    reads: await server.createToken("owner", ["screens.read"]),
    chats: await server.createToken("owner", ["chat.use"]),
  };
});
afterAll(() => server.close());

/** An address at which there is nothing, with the parts of its pattern filled in. */
const fill = (path: string) =>
  path
    .replace(/\/\*$/, "/nothing")
    .replace(/\{conversationId\}\?/, "")
    .replace(/\{\w+\}/g, "unknown");

/** A screen's data and its forms' answers have the rights of the screen, and aren't rendered. */
function addressOf({ method, path }: Call, asker: Role | undefined): string {
  const isPage = addresses.some((one) => one.path === path && one.file.endsWith(".tsx"));
  const address = method !== SAFE && path === "/" ? "/?index" : fill(path);
  return isPage && asker && !path.includes("*") ? dataAddress(address) : address;
}

/** What no call takes, so that whoever is let through changes nothing. */
function nothing({ method, path }: Call): Ask {
  if (method === SAFE) return {};
  return API.test(path) ? { json: [] } : { form: { intent: "no-such-form" } };
}

/** @returns the status, or `sign in` where a screen leads to the sign-in */
async function ask(call: Call, asker: Role | undefined, more: Ask = {}): Promise<number | "sign in"> {
  const { method } = call;
  const response = await server.ask(addressOf(call, asker), {
    method,
    ...nothing(call),
    ...(asker ? { as: asker } : {}),
    headers: { origin: server.baseUrl },
    ...more,
  });
  await response.body?.cancel();
  if (API.test(call.path)) return response.status;
  return /^\/(?:api\/)?login\b/.test(response.headers.get("location") ?? "") ? "sign in" : response.status;
}

const isLetThrough = (status: number | "sign in") =>
  status !== "sign in" && status !== 401 && status !== 403 && status < 500;

describe("the list of who may call what", () => {
  it("has each address of routes.ts and each call of the API, and nothing else", () => {
    const paths = new Set([...documented.keys()].map((call) => call.split(" ")[1]));
    const screens = addresses
      .filter(({ path }) => !paths.has(path))
      .flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`));
    expect(
      Object.keys(WHO_MAY).sort(),
      "In tests/integration/who-may.ts add the lines marked - and remove those marked +",
    ).toEqual([...documented.keys(), ...screens].sort());
  });

  it("has each file among the routes: none is dead", () => {
    const files = readdirSync("app/routes", { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => `routes/${file}`);
    const layouts = files.filter((file) => file.endsWith("/layout.tsx"));
    expect(files.sort()).toEqual([...new Set([...addresses.map(({ file }) => file), ...layouts])].sort());
  });
});

describe("roles", () => {
  /** Those below the role that may, in order. */
  const below = (who: Who): (Role | undefined)[] => {
    if (who === "everyone") return [];
    if (who === "token") return [undefined, ...ROLES];
    return [undefined, ...ROLES.slice(0, ROLES.indexOf(who))];
  };

  it.each(named(CALLS))("%s", async (_, call) => {
    const { path, who } = call;
    const statuses: unknown[] = [];
    for (const asker of below(who)) statuses.push(await ask(call, asker));
    expect(statuses).toEqual(
      below(who).map((asker) => {
        if (asker) return who === "token" ? 401 : 403;
        return API.test(path) ? 401 : "sign in";
      }),
    );
    if (who === "token" || ENDING.includes(nameOf(call))) return;
    expect(await ask(call, who === "everyone" ? undefined : who)).toSatisfy(isLetThrough);
  });
});

describe("forms", () => {
  /** The lowest role that a declaration lets through. */
  const lowest = (access: Access): Who => {
    if (access === "public") return "everyone";
    return access === "signed-in" ? "viewer" : permissions[access].minRole;
  };

  it("may be sent by those who may send others of their screen, or have a line of their own", () => {
    const forms = addresses.flatMap(({ path, intents }) =>
      Object.entries(intents).map(([name, access]) => ({
        call: `POST ${path}`,
        form: name,
        who: lowest(access),
      })),
    );
    expect(forms.length).toBeGreaterThan(150);
    const differing = forms.filter(({ call, who }) => WHO_MAY[call] !== who);
    expect(
      Object.fromEntries(differing.map(({ call, form, who }) => [`${call} ${form}`, who])),
      "Their role isn't that of their screen's POST in WHO_MAY: mend that line, or in WHO_MAY_SEND add the lines marked + and remove those marked -",
    ).toEqual(WHO_MAY_SEND);
  });

  it.each(Object.entries(WHO_MAY_SEND))("%s", async (name, who) => {
    const [method = "", path = "", intent = ""] = name.split(" ");
    const asker = ROLES[ROLES.indexOf(who as Role) - 1];
    expect(await ask({ method, path, who }, asker, { form: { intent } })).toBe(403);
  });
});

describe("a request of another site", () => {
  it("changes nothing for whoever is signed in here", async () => {
    const statuses: unknown[] = [];
    const calls = UNSAFE.filter(({ who, path }) => who !== "token" && path !== WEBHOOKS);
    expect(calls.length).toBeGreaterThan(150);
    for (const call of calls)
      statuses.push([
        nameOf(call),
        await ask(call, "owner", {
          headers: { origin: "https://other.example", "sec-fetch-site": "cross-site" },
        }),
      ]);
    expect(statuses).toEqual(calls.map((call) => [nameOf(call), 403]));
  });
});

describe("a token", () => {
  it("without the scope of a call is refused", async () => {
    const statuses: unknown[] = [];
    const calls = CALLS.flatMap((call) => {
      const permission = /Needs the permission `([^`]+)`/.exec(
        documented.get(nameOf(call))?.description ?? "",
      );
      return permission ? [{ call, permission: permission[1] }] : [];
    });
    expect(calls.length).toBeGreaterThan(150);
    for (const { call, permission } of calls) {
      const token = permission === "screens.read" ? narrow.chats : narrow.reads;
      statuses.push([nameOf(call), await ask(call, undefined, { token, headers: {} })]);
    }
    expect(statuses).toEqual(calls.map(({ call }) => [nameOf(call), 403]));
  });
});

describe("a body", () => {
  it.each([
    ["that breaks off", "application/json", 400],
    ["of another type", "text/plain", 415],
  ])("%s is refused by every call that takes JSON", async (_, type, status) => {
    const statuses: unknown[] = [];
    const calls = UNSAFE.filter((call) => {
      const { requestBody, parameters = [] } = documented.get(nameOf(call)) ?? {};
      // The address is looked at first.
      if (call.who === "token" || parameters.some((one) => one.in === "query" && one.required)) return false;
      return Object.keys(requestBody?.content ?? {}).join() === "application/json";
    });
    expect(calls.length).toBeGreaterThan(60);
    for (const call of calls) {
      const response = await server.ask(fill(call.path), {
        method: call.method,
        as: "owner",
        body: '{"name": "x',
        headers: { origin: server.baseUrl, "content-type": type },
      });
      await response.body?.cancel();
      statuses.push([nameOf(call), response.status]);
    }
    expect(statuses).toEqual(calls.map((call) => [nameOf(call), status]));
  });
});
