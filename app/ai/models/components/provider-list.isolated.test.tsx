import { parseHTML } from "linkedom";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import type { ProviderStatus } from "../models.schema";
import { ProviderRow } from "./provider-list";

vi.mock("@remix-run/react", () => ({
  useNavigation: () => ({}),
  Link: ({ to, children }: { to: string; children: React.ReactNode }) => <a href={to}>{children}</a>,
  Form: ({ children }: { children: React.ReactNode }) => <form>{children}</form>,
}));

const provider = {
  id: "prv_1",
  provider: "custom",
  displayName: "Lab",
  enabled: true,
  priority: 0,
  config: {},
  models: ["m"],
  createdAt: "2026-11-26T11:00:00.000Z",
  modelsAt: "2026-11-26T12:00:00.000Z",
};

const health = (status: ProviderStatus["status"]): ProviderStatus => ({
  id: "prv_1",
  name: "Lab",
  provider: "custom",
  models: "1 model",
  status,
  latency: "—",
  usage: "—",
  enabled: true,
  latencyMs: null,
  probeMs: null,
  calls: 0,
  errorRate: null,
  lastFailure: null,
  reason: null,
  active: 0,
  waiting: 0,
  pausedUntil: null,
});

it.each([
  ["unknown", "Active · Not checked yet"],
  ["offline", "Active · Offline"],
  ["warning", "Active · Warning"],
  ["online", "Active"],
] as const)("an enabled provider whose health is %s is shown as %s", (status, label) => {
  const row = (
    <ProviderRow
      provider={provider}
      type={undefined}
      health={health(status)}
      position={1}
      count={1}
      dialogTo={(dialog) => `?dialog=${dialog}`}
    />
  );
  const { document } = parseHTML(`<html><body>${renderToStaticMarkup(row)}</body></html>`);
  const badge = [...document.querySelectorAll("span")].find(({ textContent }) => textContent === label);
  expect(badge).toBeDefined();
  // Green is for one that responded since the start.
  expect(/success/.test(String(badge?.outerHTML))).toBe(status === "online");
});
