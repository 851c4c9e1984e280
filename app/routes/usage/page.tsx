import { useLoaderData } from "@remix-run/react";
import { ChartColumn, Download } from "lucide-react";
import { dashboardTabs } from "~/console/dashboard/components/dashboard-tabs";
import { screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may } from "~/platform/rights/authorization.server";
import { findNearestBudget, listBudgetWarnings } from "~/team/budgets/budgets.service.server";
import { NearestBudget } from "~/team/budgets/components/budget-bar";
import { BudgetWarnings } from "~/team/budgets/components/budget-warnings";
import { GroupTable, PointTable, UsageTotals } from "~/team/usage/components/usage-figures";
import { UsageFilters } from "~/team/usage/components/usage-filters";
import { DIMENSION_LABELS, METRIC_LABELS } from "~/team/usage/components/usage-format";
import { UsageScreenQuery } from "~/team/usage/usage.schema";
import { usageAddress } from "~/team/usage/usage-address.shared";
import { viewUsage } from "~/team/usage/usage-report.service.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Chart, TableDetails } from "~/ui/chart";
import { EmptyState } from "~/ui/empty-state";
import { countOf } from "~/ui/format";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { PageTabs } from "~/ui/tabs";
import { RatingTable } from "~/work/chat/components/rating-table";
import { countRatings } from "~/work/chat/ratings.service.server";

export const meta = pageTitle("Usage · Dashboard");

/** Groups without ratings. */
const RATED = ["provider", "persona", "workflow", "token", "source", "tool"] as const;

const { loader } = screen({
  access: "usage.own",
  query: UsageScreenQuery,
  load: async ({ actor, query }) => {
    const mayBudget = may(actor, "budgets.manage");
    const usage = await viewUsage(actor, query);
    const isRated = RATED.every((name) => query[name] === undefined);
    return {
      usage,
      ratings: isRated
        ? await countRatings(actor, { ...usage.bounds, model: query.model, person: query.person })
        : [],
      query,
      mayChat: may(actor, "chat.use"),
      mayBudget,
      nearest: mayBudget ? (findNearestBudget(actor) ?? null) : null,
      // Only admins see amounts.
      budgetWarnings: mayBudget ? [] : listBudgetWarnings(actor),
    };
  },
});

export { loader };

export default function Usage() {
  const { usage, ratings, query, mayChat, mayBudget, nearest, budgetWarnings } =
    useLoaderData<typeof loader>();
  useLiveTopics(["usage"]);
  const { chart, groups, points, scope, totals, unit } = usage;
  const metric = METRIC_LABELS[query.metric];
  return (
    <>
      <PageHeader
        title="Usage"
        subtitle={
          scope === "organization"
            ? "Tokens, spend and errors of the whole organization"
            : "Your own tokens, spend and errors"
        }
        actions={
          totals.requests > 0 && (
            <LinkButton
              to={usageAddress(query, "/api/usage/export")}
              reloadDocument
              icon={<Download aria-hidden="true" />}
            >
              Export CSV
            </LinkButton>
          )
        }
      />
      <PageTabs label="Dashboard" tabs={dashboardTabs("usage", mayBudget)} />
      <UsageFilters
        query={query}
        days={{ from: usage.from.slice(0, 10), to: usage.to.slice(0, 10) }}
        narrowed={usage.narrowed}
      />
      {nearest && <NearestBudget budget={nearest} />}
      <BudgetWarnings warnings={budgetWarnings} className="mb-4" />
      {totals.requests === 0 ? (
        <EmptyState
          icon={<ChartColumn />}
          title="No usage in this range"
          description={
            query.by === "tool"
              ? "Calls to tools are counted here as chats and workflows make them."
              : "Calls to models are counted here as chats, workflows and programs make them."
          }
          action={mayChat && <LinkButton to="/chat">Start AI Chat</LinkButton>}
        />
      ) : (
        <div className="flex flex-col gap-4">
          <UsageTotals totals={totals} query={query} />
          <Card
            title={`${metric} by ${unit}`}
            description={`Grouped by ${DIMENSION_LABELS[query.by].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`}
          >
            <Chart
              key={`${query.range} ${points.length}`}
              chart={chart}
              name={`${metric} by ${unit}`}
              hasTable={false}
            />
          </Card>
          <GroupTable groups={groups} query={query} />
          {ratings.length > 0 && <RatingTable ratings={ratings} />}
          <TableDetails label={`${countOf(points.length, unit)} as a table`}>
            <PointTable
              points={points}
              labels={chart.points.map(({ label }) => label)}
              unit={unit}
              query={query}
            />
          </TableDetails>
        </div>
      )}
    </>
  );
}
