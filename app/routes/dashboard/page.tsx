import type { MetaFunction } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { Activity, ArrowRight, Brain, Network, Workflow } from "lucide-react";
import type { ReactNode } from "react";
import { listAudit } from "~/features/audit/audit.service.server";
import { AuditList } from "~/features/audit/components/audit-list";
import { sendMessage } from "~/features/chat/chat.service.server";
import { MAX_STEPS } from "~/features/chat/limits.schema";
import { ChatPanel } from "~/features/dashboard/components/chat-panel";
import { DashboardTabs } from "~/features/dashboard/components/dashboard-tabs";
import { FirstSteps } from "~/features/dashboard/components/first-steps";
import { ProviderGrid } from "~/features/dashboard/components/provider-grid";
import { Stats } from "~/features/dashboard/components/stats";
import { firstSteps } from "~/features/dashboard/first-steps.service.server";
import { QuestionForm } from "~/features/dashboard/overview.schema";
import { readOverview } from "~/features/dashboard/overview.service.server";
import { PANEL_TOOLS } from "~/features/dashboard/panel-tools.schema";
import { useLiveTopics } from "~/features/events/components/use-live-topics";
import { NewestDocuments } from "~/features/knowledge/components/newest-documents";
import { may, refusal } from "~/features/members/authorisation.server";
import { namesOfMembers } from "~/features/members/member.service.server";
import { dashboardModel, listModels } from "~/features/models/models.service.server";
import { hideFirstSteps } from "~/features/settings/settings.service.server";
import { ActiveRuns, SampleRuns } from "~/features/workflows/components/active-runs";
import { intent, screen } from "~/http/screen.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { countOf, formatCount } from "~/ui/format";
import { PageHeader } from "~/ui/page-header";
import { Sample } from "~/ui/sample";
import { appNameOf } from "~/ui/titled";

/** Signed out, this is the address of the landing page, which has the product's name alone. */
export const meta: MetaFunction<typeof loader> = (args) => [
  { title: args.data ? `Dashboard · ${appNameOf(args.matches)}` : appNameOf(args.matches) },
];

const { loader, action } = screen({
  access: "public",
  load: async ({ actor }) => {
    // Signed out, the shell shows the landing page in this one's place.
    if (!actor) return null;
    return {
      overview: await readOverview(actor),
      people: namesOfMembers(actor),
      recent: listAudit(actor, { limit: 6 }).entries,
      steps: await firstSteps(actor),
      chatModel: dashboardModel(listModels(actor)),
      chatRefusal: may(actor, "chat.use") ? undefined : refusal("chat.use"),
      mayConfigure: may(actor, "providers.manage"),
    };
  },
  actions: {
    ask: intent({
      access: "chat.use",
      input: QuestionForm,
      run: async ({ actor, input: { content, live } }) => {
        const { conversationId } = await sendMessage(actor, {
          messages: [{ role: "user", content }],
          model: dashboardModel(listModels(actor)),
          maxSteps: MAX_STEPS.default,
          tools: PANEL_TOOLS,
        });
        return `/chat/${conversationId}${live ? "/live" : ""}`;
      },
      done: (to) => ({ to }),
    }),
    "hide-first-steps": intent({
      access: "preferences.write",
      run: ({ actor }) => hideFirstSteps(actor),
      done: { replace: true },
    }),
  },
});

export { action, loader };

type Loaded = NonNullable<Awaited<ReturnType<typeof loader>>>;

function More({ to, children }: { to: string; children: ReactNode }) {
  return (
    <LinkButton to={to} variant="ghost" size="sm" className="-ml-2.5">
      {children}
      <ArrowRight aria-hidden="true" />
    </LinkButton>
  );
}

/** Documents in all until there is one (console.md, section 9). */
const SAMPLE_DOCUMENTS = 1247;
const SAMPLE_PROVIDERS = 4;

function DocumentsCard({ overview: { documents, has, stats } }: Pick<Loaded, "overview">) {
  return (
    <Card
      title="RAG Documents"
      icon={<Brain />}
      description={countOf(has.documents ? stats.ragDocuments : SAMPLE_DOCUMENTS, "document")}
      actions={!has.documents && <Sample />}
      footer={<More to="/rag">View all documents</More>}
    >
      {documents.length > 0 ? (
        <NewestDocuments documents={documents} />
      ) : (
        <p className="text-muted">{has.documents ? "No documents shared with you" : "No documents yet"}</p>
      )}
    </Card>
  );
}

function WorkflowsCard({ overview: { has, runs } }: Pick<Loaded, "overview">) {
  return (
    <Card
      title="Active Workflows"
      icon={<Workflow />}
      footer={<More to="/workflows">View all workflows</More>}
    >
      {!has.workflows ? (
        <SampleRuns />
      ) : runs.length > 0 ? (
        <ActiveRuns runs={runs} />
      ) : (
        <p className="text-muted">No workflow is running</p>
      )}
    </Card>
  );
}

function ProvidersCard({ overview, mayConfigure }: Pick<Loaded, "overview" | "mayConfigure">) {
  const { has, providers, stats } = overview;
  const online = has.providers ? stats.providersOnline : SAMPLE_PROVIDERS;
  return (
    <Card
      title="Provider Status"
      icon={<Network />}
      description={`${formatCount(online)} online`}
      actions={!has.providers && <Sample />}
      footer={mayConfigure && <More to="/settings/providers">Manage providers</More>}
    >
      {has.providers ? (
        <ProviderGrid providers={providers} />
      ) : (
        <p className="text-muted">
          {mayConfigure
            ? "Only the built-in model is available. Connect OpenAI, Anthropic, Google or any compatible server."
            : "Only the built-in model is available. Ask an admin to connect a provider."}
        </p>
      )}
    </Card>
  );
}

function ActivityCard({ people, recent }: Pick<Loaded, "people" | "recent">) {
  return (
    <Card title="Recent Activity" icon={<Activity />} footer={<More to="/audit">View full audit log</More>}>
      {recent.length > 0 ? (
        <div className="-my-2.5">
          <AuditList entries={recent} people={people} times="long" />
        </div>
      ) : (
        <p className="text-muted">No activity yet</p>
      )}
    </Card>
  );
}

export default function Dashboard() {
  const loaded = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  useLiveTopics(loaded ? ["documents", "workflows"] : []);
  if (!loaded) return null;
  const { overview } = loaded;
  const error = result?.error?.content?.[0];
  return (
    <>
      <PageHeader title="Dashboard" subtitle="AI/AGI Control Platform Overview" />
      <DashboardTabs active="overview" />
      {loaded.steps.length > 0 && (
        <div className="mb-4">
          <FirstSteps steps={loaded.steps} />
        </div>
      )}
      <Stats overview={overview} />
      <div className="mt-4 grid gap-4 lg:grid-cols-3">
        <div className="flex min-w-0 flex-col gap-4 lg:col-span-2">
          <ChatPanel
            model={loaded.chatModel}
            refusal={loaded.chatRefusal}
            content={result && String(result.initialValue?.content ?? "")}
            error={error}
          />
          <ProvidersCard {...loaded} />
          <ActivityCard {...loaded} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <DocumentsCard {...loaded} />
          <WorkflowsCard {...loaded} />
        </div>
      </div>
    </>
  );
}
