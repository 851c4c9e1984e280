const MAX_STEPS = 20;

/** A page with its redirects. */
export interface Reached {
  url: URL;
  status: number;
  text: string;
  headers: Headers;
  steps: string[];
}

/** A minimal browser: cookies by host, redirects, forms without JavaScript. */
export class CookieClient {
  /** By host without port, as in browsers. */
  private readonly jar = new Map<string, Map<string, string>>();

  cookie(url: string, name: string): string | undefined {
    return this.jar.get(new URL(url).hostname)?.get(name);
  }

  forget(matches: (name: string) => boolean): void {
    for (const cookies of this.jar.values()) {
      for (const name of [...cookies.keys()]) if (matches(name)) cookies.delete(name);
    }
  }

  private keep(url: URL, response: Response): void {
    const cookies = this.jar.get(url.hostname) ?? new Map<string, string>();
    this.jar.set(url.hostname, cookies);
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";");
      const at = pair.indexOf("=");
      const name = pair.slice(0, at).trim();
      const ended = attributes.some(
        (attribute) =>
          /^\s*max-age=0\s*$/i.test(attribute) || /^\s*expires=thu, 01 jan 1970/i.test(attribute),
      );
      if (ended) cookies.delete(name);
      else cookies.set(name, pair.slice(at + 1));
    }
  }

  async open(address: string, form?: Record<string, string>): Promise<Reached> {
    let url = new URL(address);
    let body = form;
    const steps: string[] = [];
    while (steps.length < MAX_STEPS) {
      steps.push(url.href);
      const cookies = [...(this.jar.get(url.hostname) ?? [])].map(([name, value]) => `${name}=${value}`);
      const response = await fetch(url, {
        method: body ? "POST" : "GET",
        headers: {
          accept: "text/html",
          ...(cookies.length > 0 ? { cookie: cookies.join("; ") } : {}),
          ...(body ? { origin: url.origin } : {}),
        },
        ...(body ? { body: new URLSearchParams(body) } : {}),
        redirect: "manual",
      });
      this.keep(url, response);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || !location) {
        return {
          url,
          status: response.status,
          text: await response.text(),
          headers: response.headers,
          steps,
        };
      }
      await response.body?.cancel();
      url = new URL(location, url);
      body = undefined;
    }
    throw new Error(`Redirected without end: ${steps.join(" -> ")}`);
  }

  /** Signs in on the test provider's pages. */
  async passProvider(page: Reached, login: string): Promise<Reached> {
    let current = page;
    for (let step = 0; step < 3; step += 1) {
      const action = /<form[^>]*action="([^"]+)"/.exec(current.text)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(current.text)?.[1];
      if (!action || !prompt) return current;
      const typed: Record<string, string> = prompt === "login" ? { login, password: "any" } : {};
      current = await this.open(new URL(action, current.url).href, { prompt, ...typed });
    }
    return current;
  }
}
