import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Actor, Role } from "~/core/actor";
import { AppError } from "~/core/errors";
import { createToken } from "~/team/members/token.service.server";
import { openTestDatabase } from "../../tests/support/database";
import type { EdgeContext } from "./context.server";
import { intent, screen } from "./screen.server";
import { readToast } from "./toast.server";

let test: ReturnType<typeof openTestDatabase>;
let waits: number[];
let context: EdgeContext;
beforeEach(() => {
  test = openTestDatabase();
  waits = [];
  context = {
    cspNonce: "n",
    requestId: "req_1",
    address: "127.0.0.1",
    secure: false,
    origin: "http://localhost",
    closed: new AbortController().signal,
    waiting: () => 0,
    cutOff: () => {},
    retryAfter: (seconds) => void waits.push(seconds),
    afterwards: () => {},
  };
});
afterEach(() => test.close());

let work: (actor: Actor, input: unknown) => unknown;
beforeEach(() => {
  work = () => ({ name: "Lamp" });
});

const Lamp = z.object({
  name: z.string({ error: "Enter a name" }).max(10, "Too long"),
  watts: z.coerce.number().optional(),
  secret: z.string().optional(),
});

const { loader, action } = screen({
  access: "signed-in",
  query: z.object({ page: z.coerce.number().default(1) }),
  load: ({ actor, query }) => ({ role: actor.role, text: "a\r\nb", page: query.page }),
  actions: {
    create: intent({
      access: "personas.write",
      input: Lamp,
      hide: ["secret"],
      run: ({ actor, input }) => work(actor, input) as { name: string },
      done: ({ name }, { input }) => `${name} of ${input.watts} W added`,
      failed: { fields: { title: "Failed" } },
    }),
    show: intent({
      access: "personas.write",
      target: "id",
      run: ({ target }) => ({ key: target }),
      done: ({ key }) => ({ show: key }),
    }),
    remove: intent({
      access: "personas.write",
      target: "id",
      run: ({ actor, target }) => work(actor, target),
      done: { to: "/elsewhere", toast: "Removed" },
      failed: { dialog: "Not removed" },
    }),
    move: intent({
      access: "personas.write",
      input: z.object({ direction: z.enum(["up", "down"], { error: "Up or down" }) }),
      run: ({ actor, input }) => work(actor, input),
      failed: { toast: "Not moved" },
    }),
    disable: intent({ access: "settings.manage", run: ({ actor }) => work(actor, undefined) }),
    paste: intent({ access: "personas.write", maxBytes: 2 * 1024 * 1024, target: "text", run: () => null }),
  },
  back: ({ returnTo, url }) => returnTo ?? url.pathname,
});

const tokenOf = (role: Role) => createToken(test.actors[role], { name: "t", models: [] }).token;

function args(role: Role | undefined, init: RequestInit = {}, path = "/lamps?dialog=new") {
  const request = new Request(`http://localhost${path}`, {
    ...init,
    headers: role ? { authorization: `Bearer ${tokenOf(role)}` } : {},
  });
  return { request, params: {}, context: { ...context } };
}

const send = (role: Role | undefined, fields: Record<string, string>, path?: string) =>
  action(args(role, { method: "POST", body: new URLSearchParams(fields) }, path));

function toastIn(headers: Headers) {
  const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const { toast } = readToast(new Request("http://localhost", { headers: { cookie } }), context);
  return toast && [toast.kind, toast.title, ...(toast.description ? [toast.description] : [])];
}

function outcomeOf(answer: unknown) {
  if (!(answer instanceof Response)) throw new Error("The action leads nowhere.");
  return {
    status: answer.status,
    to: answer.headers.get("location"),
    toast: toastIn(answer.headers),
  };
}

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  const thrown = await work.then(
    () => "nothing",
    (error: unknown) => error,
  );
  if (!(thrown instanceof Response) || !thrown.headers.get("content-type")?.includes("json")) return thrown;
  return { init: { status: thrown.status }, data: await thrown.json() };
}

describe("a screen's loader", () => {
  it("returns data with texts normalized for hydration", async () => {
    expect(await loader(args("viewer", {}, "/lamps.data?page=3"))).toEqual({
      role: "viewer",
      text: "a\nb",
      page: 3,
    });
  });

  it("redirects signed-out users to sign in, and back afterwards", async () => {
    expect(outcomeOf(await thrownBy(loader(args(undefined))))).toMatchObject({
      to: "/api/login?returnTo=%2Flamps%3Fdialog%3Dnew",
    });
  });

  it("refuses invalid parameters and users without the permission", async () => {
    const wrong = await thrownBy(loader(args("viewer", {}, "/lamps?page=x")));
    expect(wrong).toMatchObject({ init: { status: 400 }, data: { code: "invalid" } });
    const closed = screen({ access: "settings.manage", load: () => "seen" });
    expect(await thrownBy(closed.loader(args("member")))).toMatchObject({ init: { status: 403 } });
    expect(await closed.loader(args("admin"))).toBe("seen");
  });

  it("returns null for a screen without a load function", async () => {
    expect(await screen({ access: "public" }).loader(args(undefined))).toBeNull();
  });
});

describe("a screen's action", () => {
  it("runs the named intent on the parsed form, then redirects back with a toast", async () => {
    let seen: unknown;
    work = (actor, input) => {
      seen = [actor.role, input];
      return { name: "Lamp" };
    };
    const answer = await send("member", { intent: "create", name: "Lamp", watts: "40" });
    expect(seen).toEqual(["member", { name: "Lamp", watts: 40 }]);
    expect(outcomeOf(answer)).toEqual({
      status: 303,
      to: "/lamps",
      toast: ["success", "Lamp of 40 W added"],
    });
  });

  it("redirects to the form's returnTo if it is a page of this console", async () => {
    const create = { intent: "create", name: "Lamp" };
    expect(outcomeOf(await send("member", { ...create, returnTo: "/rag?q=1" })).to).toBe("/rag?q=1");
    expect(outcomeOf(await send("member", { ...create, returnTo: "https://evil.example" })).to).toBe("/");
    expect(outcomeOf(await send("member", create, "/lamps?returnTo=/chat")).to).toBe("/chat");
  });

  it("redirects or shows a result as the intent decides", async () => {
    expect(outcomeOf(await send("member", { intent: "remove", id: "1" }))).toEqual({
      status: 303,
      to: "/elsewhere",
      toast: ["success", "Removed"],
    });
    expect(await send("member", { intent: "show", id: "abc" })).toMatchObject({
      data: { shown: "abc", result: undefined, failed: undefined },
      init: { status: 200 },
    });
  });

  it.each([
    ["a success", () => undefined, { intent: "remove" }, ["success", "Removed"]],
    ["a change without words", () => undefined, { intent: "move", direction: "up" }, undefined],
    [
      "a refusal",
      () => {
        throw new AppError("conflict", "It is first.");
      },
      { intent: "move", direction: "up" },
      ["error", "Not moved", "It is first."],
    ],
  ])(
    "answers %s in place without a redirect, so that the page reloads and shows it",
    async (_, does, fields, toast) => {
      work = does;
      const answer = await send("member", { ...fields, inPlace: "on" });
      expect(answer).toMatchObject({ data: { result: undefined, failed: undefined }, init: { status: 200 } });
      const { init } = answer as { init: { headers: Headers } };
      expect(toastIn(new Headers(init.headers))).toEqual(toast);
    },
  );

  it("redisplays an invalid form without its hidden fields", async () => {
    const fields = { intent: "create", name: "x".repeat(11), watts: "40", secret: "s" };
    expect(await send("member", fields)).toMatchObject({
      data: {
        result: { error: { name: ["Too long"] }, initialValue: { name: "x".repeat(11), watts: "40" } },
      },
      init: { status: 400 },
    });
    expect(JSON.stringify(await send("member", fields))).not.toContain('"s"');
  });

  it("shows a service's refusal beside its field and above the form, with Retry-After", async () => {
    work = () => {
      throw new AppError("rate_limited", "Slow down.", { fields: { name: ["Taken"] }, retryAfter: 7 });
    };
    expect(await send("member", { intent: "create", name: "Lamp" })).toMatchObject({
      data: { result: { error: { name: ["Taken"], "": ["Failed: Slow down."] } } },
      init: { status: 429 },
    });
    expect(waits).toEqual([7]);
  });

  it("shows a request's refusal with the form's values, and runs nothing", async () => {
    context.refusal = new AppError("rate_limited", "Slow down.", { retryAfter: 7 });
    work = () => {
      throw new Error("It ran.");
    };
    expect(await send("member", { intent: "create", name: "Lamp" })).toMatchObject({
      data: { result: { error: { "": ["Failed: Slow down."] }, initialValue: { name: "Lamp" } } },
      init: { status: 429 },
    });
    expect(await thrownBy(send("member", { intent: "show", id: "1" }))).toMatchObject({
      init: { status: 429 },
      data: { detail: "Slow down." },
    });
  });

  it("shows a refusal in its dialog, or as a toast if the record is gone", async () => {
    work = () => {
      throw new AppError("conflict", "It is lit.");
    };
    expect(await send("member", { intent: "remove", id: "1" })).toMatchObject({
      data: { failed: { title: "Not removed", description: "It is lit." } },
      init: { status: 409 },
    });
    work = () => {
      throw new AppError("not_found", "There is no such lamp.");
    };
    expect(outcomeOf(await send("member", { intent: "remove", id: "1" }))).toEqual({
      status: 303,
      to: "/lamps",
      toast: ["error", "Not removed", "There is no such lamp."],
    });
  });

  it("shows a refusal as a toast for forms without text fields", async () => {
    expect(outcomeOf(await send("member", { intent: "move", direction: "left" })).toast).toEqual([
      "error",
      "Not moved",
      "The form is not valid: Up or down (direction)",
    ]);
    work = () => {
      throw new TypeError("a defect");
    };
    expect(await thrownBy(send("member", { intent: "move", direction: "up" }))).toBeInstanceOf(TypeError);
  });

  it.each([
    ["an intent that isn't there", { intent: "burn" }, "Unknown form. Reload the page and try again."],
    [
      "the name of a method of all objects",
      { intent: "toString" },
      "Unknown form. Reload the page and try again.",
    ],
    ["no intent", {}, "Unknown form. Reload the page and try again."],
    ["a position beyond a list's end", { intent: "create", "lamps[1000]": "1" }, "lamps[1000]"],
  ])("refuses %s", async (_, fields, detail) => {
    expect(await thrownBy(send("member", fields))).toMatchObject({
      init: { status: 400 },
      data: { detail: expect.stringContaining(detail) },
    });
  });

  it("checks permissions before parsing, and before reading the body if no intent is allowed", async () => {
    const refused = { init: { status: 403 } };
    expect(await thrownBy(send("member", { intent: "disable", junk: "1" }))).toMatchObject(refused);
    const unread = args("viewer", { method: "POST", body: new URLSearchParams({ intent: "burn" }) });
    expect(await thrownBy(action(unread))).toMatchObject(refused);
    expect(unread.request.bodyUsed).toBe(false);
    expect(await thrownBy(send(undefined, { intent: "create" }))).toBeInstanceOf(Response);
  });

  it("checks permissions on a public screen", async () => {
    const open = screen({
      access: "public",
      actions: {
        submit: intent({ access: "public", run: () => null }),
        change: intent({ access: "personas.write", run: () => null }),
      },
    });
    const post = (fields: Record<string, string>) =>
      open.action(args(undefined, { method: "POST", body: new URLSearchParams(fields) }));
    expect(outcomeOf(await post({}))).toMatchObject({ status: 303, to: "/lamps" });
    expect(outcomeOf(await thrownBy(post({ intent: "change" }))).to).toMatch(/^\/api\/login/);
  });

  it("limits a form's size to the intent's maximum", async () => {
    const post = (name: string) => {
      const body = new FormData();
      body.set("text", "x".repeat(1_500_000));
      body.set("intent", name);
      return action(args("member", { method: "POST", body }));
    };
    expect(outcomeOf(await post("paste")).status).toBe(303);
    expect(await thrownBy(post("show"))).toMatchObject({
      init: { status: 413 },
      data: { detail: expect.stringContaining("The form is larger than 1 MB. Nothing was saved.") },
    });
  });

  it("streams an upload's parts to the intent", async () => {
    const uploads = screen({
      access: "signed-in",
      actions: {
        submit: intent({
          access: "documents.write",
          upload: { maxBytes: 1000, fileBytes: 100, files: 2 },
          run: async ({ parts }) => {
            const names: string[] = [];
            for await (const part of parts) names.push(part.kind === "file" ? part.fileName : part.name);
            return names;
          },
          done: (names) => ({ show: names }),
          failed: { toast: "Not uploaded" },
        }),
      },
    });
    const post = (content: string) => {
      const body = new FormData();
      body.set("note", "hello");
      body.set("file", new File([content], "a.txt"));
      return uploads.action(args("member", { method: "POST", body }));
    };
    expect(await post("content")).toMatchObject({ data: { shown: ["note", "a.txt"] } });
    expect(outcomeOf(await post("x".repeat(2000))).toast?.[1]).toBe("Not uploaded");
  });

  it("refuses a limited upload before it is read, unless its intent shows the refusal", async () => {
    const refusal = new AppError("rate_limited", "Too many requests.");
    const upload = { maxBytes: 1000, fileBytes: 100, files: 2 };
    const shown = { done: (message: string) => ({ show: message }) };
    const one = { access: "documents.write", upload, ...shown } as const;
    const run = () => "stored";
    const handled = ({ context }: { context: EdgeContext }) => context.refusal?.message ?? "stored";
    const post = (submit: ReturnType<typeof intent>, limited: boolean) => {
      const body = new FormData();
      body.set("file", new File(["content"], "a.txt"));
      const posted = args("member", { method: "POST", body });
      const { context } = posted;
      return screen({ access: "signed-in", actions: { submit } }).action({
        ...posted,
        context: limited ? { ...context, refusal } : context,
      });
    };
    const plain = intent({ ...one, run });
    expect(await post(plain, false)).toMatchObject({ data: { shown: "stored" } });
    expect(await thrownBy(post(plain, true))).toMatchObject({ data: { detail: "Too many requests." } });
    const handling = intent({ ...one, handlesRefusal: true, run: handled });
    expect(await post(handling, true)).toMatchObject({ data: { shown: "Too many requests." } });
  });
});
