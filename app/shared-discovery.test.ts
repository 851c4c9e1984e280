import { expect, it, vi } from "vitest";
import { sharedDiscovery } from "./shared-discovery";

const address = (...paths: string[]) =>
  new URL(`http://console.example/__manifest?${new URLSearchParams(paths.map((path) => ["p", path]))}`);

function server() {
  const asked: string[] = [];
  let answer: (response: Response) => void = () => {};
  const ask: typeof fetch = async (input) => {
    asked.push(String(input));
    return new Promise<Response>((resolve) => {
      answer = resolve;
    });
  };
  return { asked, answer: () => answer(Response.json({ routes: 1 })), fetch: sharedDiscovery(ask) };
}

it("asks once for routes that are under way, also for some of them", async () => {
  const { asked, answer, fetch } = server();
  const all = [
    fetch(address("/", "/chat", "/rag")),
    fetch(address("/", "/chat", "/rag")),
    fetch(address("/chat"), { signal: new AbortController().signal }),
  ];
  answer();
  for (const response of await Promise.all(all)) expect(await response.json()).toEqual({ routes: 1 });
  expect(asked).toHaveLength(1);
});

it("asks for others, and again later", async () => {
  const { asked, answer, fetch } = server();
  const first = fetch(address("/"));
  answer();
  await first;
  void fetch(address("/rag", "/audit"));
  void fetch("/api/health");
  expect(asked).toHaveLength(3);
  await vi.waitFor(() => {
    void fetch(address("/"), { signal: new AbortController().signal });
    expect(asked.length).toBeGreaterThan(3);
  });
});

it("fails all of them with the one, and then asks again", async () => {
  let asked = 0;
  const fetch = sharedDiscovery(async () => {
    asked += 1;
    throw new TypeError("Failed to fetch");
  });
  const both = await Promise.allSettled([fetch(address("/")), fetch(address("/"))]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(asked).toBe(1);
  await vi.waitFor(async () => {
    await expect(fetch(address("/"))).rejects.toThrow(TypeError);
    expect(asked).toBe(2);
  });
});
