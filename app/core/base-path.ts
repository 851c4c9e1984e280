/**
 * The path of `PUBLIC_URL`, such as `/ai`, below which a browser finds the console; empty at the root of its host. The
 * server sets it at start, and the page tells the browser.
 */
let base = typeof document === "undefined" ? "" : (document.documentElement.dataset.base ?? "");

export function setBasePath(path: string): void {
  base = path;
}

export const basePath = (): string => base;

/**
 * Where a browser finds one of the console's paths. The router does it for its links, forms, navigations and for redirects
 * of screens; all other addresses that a browser, a proxy or a client of the API reads go through here.
 */
export const withBase = (path: string): string => base + path;

/** The console's path of what a browser or proxy sent: some proxies take the base path away. May have a query. */
export function withoutBase(path: string): string {
  const rest = path.slice(base.length);
  return path === base + rest && /^(?:$|[/?])/.test(rest) ? rest.replace(/^(?!\/)/, "/") : path;
}

/** Where a browser finds a file of the build that Vite named: its code in the browser already has the base path. */
export const builtAddress = (file: string): string =>
  typeof document === "undefined" ? withBase(file) : file;
