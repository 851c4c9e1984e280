import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { HOUR, isoTime } from "~/core/durations";
import { may } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { findDailyLimit } from "~/team/budgets/budgets.service.server";
import { hasUsage } from "~/team/usage/usage.service.server";
import { hourlyBuckets } from "~/team/usage/usage-range.shared";
import { plotUsage } from "~/team/usage/usage-report.service.server";
import type { ChartLayout, SeriesColor } from "~/ui/chart.shared";
import { layOutChart } from "~/ui/chart-layout.server";
import { listWaitingAnswers } from "~/work/chat/conversations.service.server";
import type { RunState } from "~/work/workflows/runs.schema";
import { listWaitingApprovals, readHourlyRuns } from "~/work/workflows/runs.service.server";
import { listWorkflowNames } from "~/work/workflows/workflows.service.server";
import type { Plots, Waiting } from "./overview.schema";
import { readPart } from "./overview.service.server";

/** In px. */
const HEIGHTS = { wide: 168, narrow: 132 };
const SHOWN = 5;

const STATES: readonly { name: string; color: SeriesColor; states: readonly RunState[] }[] = [
  { name: "Succeeded", color: "success", states: ["succeeded"] },
  { name: "Failed", color: "danger", states: ["failed"] },
  { name: "Waiting", color: "warning", states: ["waiting"] },
  { name: "In progress", color: "info", states: ["queued", "running"] },
  { name: "Canceled or skipped", color: "neutral", states: ["cancelled", "skipped"] },
];

/** Today's runs by the hour in which they were started, in the organization's time zone. */
async function plotRuns(actor: Actor): Promise<{ chart: ChartLayout; total: number }> {
  const timeZone = orgTimeZone(actor.orgId);
  const hours = hourlyBuckets(now(), timeZone);
  const [first = 0] = hours;
  const rows = await readHourlyRuns(actor, { from: first * HOUR, before: (first + hours.length) * HOUR });
  const shown = STATES.filter(({ states }) => rows.some(({ state }) => states.includes(state)));
  const label = new Intl.DateTimeFormat("en-US", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
  });
  const points = hours.map((hour) => {
    const values = shown.map(({ states }) =>
      rows.reduce((sum, row) => sum + (row.hour === hour && states.includes(row.state) ? row.runs : 0), 0),
    );
    const total = values.reduce((sum, value) => sum + value, 0);
    const at = isoTime(hour * HOUR);
    const search = new URLSearchParams({ from: at, before: isoTime((hour + 1) * HOUR) });
    return {
      at,
      label: label.format(hour * HOUR),
      total,
      values,
      // What hasn't happened leads nowhere.
      ...(total > 0 && { to: `/workflows/runs?${search}` }),
    };
  });
  const chart = layOutChart({ unit: "count", kind: "bars", height: HEIGHTS.narrow, series: shown, points });
  return { chart, total: points.reduce((sum, point) => sum + point.total, 0) };
}

function listWaiting(actor: Actor): Waiting[] {
  const answers = listWaitingAnswers(actor, SHOWN).map(({ id, title, since }) => ({
    title,
    note: "Tool call in AI Chat",
    to: `/chat/${id}`,
    since,
  }));
  const runs = listWaitingApprovals(actor, SHOWN).map(({ runId, workflowName, since }) => ({
    title: workflowName,
    note: "Step of a workflow",
    to: `/workflows/runs/${runId}`,
    since,
  }));
  return [...answers, ...runs].sort((a, b) => a.since.localeCompare(b.since)).slice(0, SHOWN);
}

/**
 * What the dashboard draws: usage that the person may see, today's runs, and what waits for the person. A part that
 * failed to load is undefined.
 */
export async function readPlots(actor: Actor): Promise<Plots> {
  return {
    usage: await readPart("usage plots", async () => ({
      hasData: hasUsage(actor),
      ...(await plotUsage(actor, HEIGHTS, may(actor, "budgets.manage") ? findDailyLimit(actor) : undefined)),
    })),
    runs: await readPart("today's runs", async () => ({
      hasData: listWorkflowNames(actor).length > 0,
      ...(await plotRuns(actor)),
    })),
    waiting: await readPart("what waits", () => listWaiting(actor)),
  };
}
