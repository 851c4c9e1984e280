import { parseHTML } from "linkedom";
import type { Role } from "~/core/actor";
import type { Ask, TestServer } from "./server";

/** Several values of one name are a list. */
type Fields = Record<string, string | string[]>;

/** A submission without JavaScript. */
export interface FormSubmission {
  action: string;
  fields: Fields;
}

/** Where the browser's router asks a screen for its data, or sends its forms: the answer isn't rendered. */
export function dataAddress(screen: string): string {
  const [path = "", search] = screen.split("?");
  const data = path === "/" ? "/_root.data" : `${path.replace(/\/$/, "")}.data`;
  return search === undefined ? data : `${data}?${search}`;
}

/** By its intent, or by what it is called. */
function buttonOf(document: Document, name: string): { button: Element; form: Element } {
  const button =
    document.querySelector(`button[name="intent"][value="${name}"]`) ??
    [...document.querySelectorAll("button:not([disabled])")].find(
      (one) => (one.getAttribute("aria-label") ?? one.textContent ?? "").trim() === name,
    );
  const id = button?.getAttribute("form");
  const form = id ? document.getElementById(id) : button?.closest("form");
  if (!button || !form) throw new Error(`There is no button ${name} with a form.`);
  return { button, form };
}

/** The parser leaves a textarea's text as it is written. */
export function decodeText(document: Document, text: string): string {
  const element = document.createElement("p");
  element.innerHTML = text;
  return element.textContent ?? "";
}

function sentValue(document: Document, control: Element): string {
  if (control.tagName === "TEXTAREA") return decodeText(document, control.textContent ?? "");
  if (control.tagName === "SELECT") {
    const selected = control.querySelector("option[selected]") ?? control.querySelector("option");
    return selected?.getAttribute("value") ?? selected?.textContent ?? "";
  }
  const unset = /checkbox|radio/.test(control.getAttribute("type") ?? "") ? "on" : "";
  return control.getAttribute("value") ?? unset;
}

/** Successful fields for a button, by its intent or by what it is called. */
export function submissionOf(document: Document, name: string): FormSubmission {
  const { button, form } = buttonOf(document, name);
  const fields: Fields = {};
  const clicked = button.getAttribute("name");
  if (clicked) fields[clicked] = button.getAttribute("value") ?? "";
  const inside = [...form.querySelectorAll("input[name], select[name], textarea[name]")];
  const outside = form.id ? [...document.querySelectorAll(`[name][form="${form.id}"]:not(button)`)] : [];
  for (const control of new Set([...inside, ...outside])) {
    const name = control.getAttribute("name") ?? "";
    if (/checkbox|radio/.test(control.getAttribute("type") ?? "") && !control.hasAttribute("checked"))
      continue;
    const value = sentValue(document, control);
    const isOneOfSeveral = control.tagName === "SELECT" || control.getAttribute("type") === "checkbox";
    const before = isOneOfSeveral ? fields[name] : undefined;
    fields[name] = before === undefined ? value : [before, value].flat();
  }
  return { action: form.getAttribute("action") ?? "", fields };
}

/** Changes fields of one form as the owner; null unchecks. @returns the response and the old values */
export async function changeFields(
  server: TestServer,
  { path, intent }: { path: string; intent: string },
  changed: (readonly [field: string, value: string | string[] | null])[],
  /** Whether a proxy speaks HTTPS. */
  secure = false,
): Promise<{ response: Response; before: (string | string[] | null)[] }> {
  const cookie = server.cookieOf("owner");
  const headers: Record<string, string> = secure
    ? {
        cookie: `__Host-${cookie}`,
        origin: server.baseUrl.replace("http:", "https:"),
        "x-forwarded-proto": "https",
      }
    : { cookie, origin: server.baseUrl };
  const ask = { headers: { accept: "text/html", ...headers } };
  const page = await server.ask(path, ask);
  const { document } = parseHTML(await page.text());
  const { action, fields } = submissionOf(document, intent);
  const form = { ...fields };
  for (const [field, value] of changed) {
    if (!buttonOf(document, intent).form.querySelector(`[name="${field}"]`))
      throw new Error(`The form of ${path} has no field ${field}.`);
    if (value === null) delete form[field];
    else form[field] = value;
  }
  const response = await server.ask(action || path, { ...ask, form });
  return { response, before: changed.map(([field]) => fields[field] ?? null) };
}

/** A page without script, and what a form of it leads to. */
export interface PlainPage {
  status: number;
  /** Where a form led to. */
  location: string | null;
  document: Document;
  /** The visible text, its spaces as one each. */
  text: string;
  /** The form of a button, by its intent or by what it is called, as it stands. */
  fields(button: string): Fields;
  /** The open dialog's before the page's. */
  control(name: string): Element | null;
  /** What is said at a field, such as its error. */
  described(name: string): string;
  /** Submits the form of this button with changed fields, whose action may lead elsewhere; undefined leaves a field out. */
  submit(button: string, changed?: Record<string, string | string[] | undefined>): Promise<PlainPage>;
  /** Presses the button that is called so, and follows where it leads. */
  press(label: string): Promise<PlainPage>;
  /** Where the form led to, with its toast, or where a link leads to. */
  follow(link?: string): Promise<PlainPage>;
}

/** Opens pages and submits their own forms as a browser without JavaScript does, with the cookies that it is given. */
export function plainBrowser(server: TestServer, as?: Role): { open(path: string): Promise<PlainPage> } {
  const cookies = new Map<string, string>();
  const session = as === undefined ? [] : [server.cookieOf(as)];
  const ask = async (path: string, more: Ask = {}): Promise<PlainPage> => {
    const cookie = [...session, ...[...cookies].map(([name, value]) => `${name}=${value}`)].join("; ");
    const headers = { accept: "text/html", origin: server.baseUrl, ...(cookie ? { cookie } : {}) };
    const response = await server.ask(path, { ...more, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return toPage(path, response.status, response.headers.get("location"), await response.text());
  };
  const toPage = (path: string, status: number, location: string | null, html: string): PlainPage => {
    const { document } = parseHTML(html || "<!doctype html><html><body></body></html>");
    for (const script of document.querySelectorAll("script, style")) script.remove();
    const control = (name: string) =>
      document.querySelector(`dialog [name="${name}"]`) ?? document.querySelector(`[name="${name}"]`);
    return {
      status,
      location,
      document,
      get text() {
        const body = document.body.cloneNode(true) as Element;
        for (const script of body.querySelectorAll("script")) script.remove();
        return (body.textContent ?? "").replaceAll(/\s+/g, " ");
      },
      fields: (intent) => submissionOf(document, intent).fields,
      control,
      described: (name) =>
        (control(name)?.getAttribute("aria-describedby") ?? "")
          .split(" ")
          .map((id) => document.getElementById(id)?.textContent ?? "")
          .join(" | "),
      submit: (intent, changed = {}) => {
        const { action, fields } = submissionOf(document, intent);
        const form = Object.entries({ ...fields, ...changed }).filter(([, value]) => value !== undefined);
        return ask(action || path, { method: "POST", form: Object.fromEntries(form) as Fields });
      },
      press: async (label) => {
        const { action, fields } = submissionOf(document, label);
        const reached = await ask(action || path, { method: "POST", form: fields });
        return reached.location ? reached.follow() : reached;
      },
      follow: (link) => {
        const to = link
          ? [...document.querySelectorAll("a[href]")]
              .find((one) => (one.getAttribute("aria-label") ?? one.textContent ?? "").trim() === link)
              ?.getAttribute("href")
          : location;
        if (!to) throw new Error(`${path} doesn't lead to ${link ?? "another page"}: ${status}`);
        return ask(to);
      },
    };
  };
  return { open: (path) => ask(path) };
}
