import type { MetaFunction } from "@remix-run/node";
import { useActionData, useLoaderData, useRouteLoaderData, useSearchParams } from "@remix-run/react";
import { Activity, ArrowRight, Brain, Network, Workflow } from "lucide-react";
import type { ReactNode } from "react";
import { lazy, Suspense, useState } from "react";
import type { OfferedModel } from "~/ai/models/model-picker.shared";
import { dashboardModel, listModels } from "~/ai/models/models.service.server";
import { AuditList, SampleEntries } from "~/console/audit/components/audit-list";
import { hasEntries } from "~/console/audit/entries.service.server";
import { withSentence } from "~/console/audit/sentences.service.server";
import { ChatPanel } from "~/console/dashboard/components/chat-panel";
import { dashboardTabs } from "~/console/dashboard/components/dashboard-tabs";
import { FirstSteps } from "~/console/dashboard/components/first-steps";
import { LoadError, Plots } from "~/console/dashboard/components/plots";
import { ProviderList, Stats } from "~/console/dashboard/components/stats";
import { firstSteps } from "~/console/dashboard/first-steps.service.server";
import type { Overview } from "~/console/dashboard/overview.schema";
import { QuestionForm } from "~/console/dashboard/overview.schema";
import { readOverview, readPart } from "~/console/dashboard/overview.service.server";
import { PANEL_OFFERED, PANEL_TOOLS } from "~/console/dashboard/panel-tools.shared";
import { readPlots } from "~/console/dashboard/plots.service.server";
import { SampleTeam } from "~/console/samples/components/sample-team";
import { SampleRemoval } from "~/console/samples/samples.schema";
import { addSamples, readSampleOffer, removeSamples } from "~/console/samples/samples.service.server";
import { intent, screen } from "~/http/screen.server";
import type { People } from "~/platform/audit/actor-name.shared";
import type { DescribedEntry } from "~/platform/audit/audit.schema";
import { listAudit } from "~/platform/audit/audit.service.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may, refusal } from "~/platform/rights/authorization.server";
import { namesOfActors } from "~/team/members/member-names.service.server";
import { hideFirstSteps, readUserSettings } from "~/team/members/preferences.service.server";
import { Sample } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { errorsOf } from "~/ui/form-result";
import { countOf, formatCount } from "~/ui/format";
import { appNameOf, PageHeader } from "~/ui/page-header";
import { PageTabs } from "~/ui/tabs";
import { sendMessage } from "~/work/chat/chat.service.server";
import { MAX_STEPS } from "~/work/chat/chat-choices.shared";
import { isSendKey } from "~/work/chat/components/sends-message";
import { readAsker } from "~/work/chat/screen.service.server";
import { NewestDocuments } from "~/work/documents/components/newest-documents";
import { ActiveRuns, SampleRuns } from "~/work/workflows/components/active-runs";

/** Entries of the audit log. */
const RECENT = 4;

/** Signed out, the landing page has only the product's name. */
export const meta: MetaFunction<typeof loader> = (args) => [
  { title: args.data ? `Dashboard · ${appNameOf(args.matches)}` : appNameOf(args.matches) },
];

const { loader, action } = screen({
  access: "public",
  load: async ({ actor }) => {
    // Signed out, the shell shows the landing page.
    if (!actor) return null;
    return {
      overview: await readOverview(actor),
      plots: await readPlots(actor),
      people: namesOfActors(actor),
      recent: await readPart("activity", () => ({
        hasData: hasEntries(actor),
        entries: listAudit(actor, { limit: RECENT }).entries.map(withSentence),
      })),
      samples: await readPart("samples", () => readSampleOffer(actor)),
      steps: (await readPart("first steps", () => firstSteps(actor))) ?? [],
      asker: readAsker(actor),
      enterSends: readUserSettings(actor).enterSends,
      chatModel: dashboardModel(actor, listModels(actor)),
      chatRefusal: may(actor, "chat.use") ? undefined : refusal("chat.use"),
      mayConfigure: may(actor, "providers.manage"),
      mayBudget: may(actor, "budgets.manage"),
    };
  },
  actions: {
    ask: intent({
      access: "chat.use",
      input: QuestionForm,
      run: async ({ actor, input: { content, model, live } }) => {
        const { conversationId } = await sendMessage(actor, {
          messages: [{ role: "user", content }],
          model: model || dashboardModel(actor, listModels(actor)),
          maxSteps: MAX_STEPS.default,
          tools: PANEL_TOOLS,
          offeredTools: PANEL_OFFERED,
        });
        return `/chat/${conversationId}${live ? "/live" : ""}`;
      },
      done: (to) => ({ to }),
    }),
    "add-samples": intent({
      access: "settings.manage",
      run: ({ actor }) => addSamples(actor),
      done: { toast: "Sample team added", replace: true },
      failed: { toast: "Failed to add the sample team" },
    }),
    "remove-samples": intent({
      access: "settings.manage",
      input: SampleRemoval,
      run: ({ actor, input }) => removeSamples(actor, { withChanged: input.withChanged !== undefined }),
      done: ({ kept }) => ({
        toast: {
          kind: "success",
          title: "Sample team removed",
          ...(kept.length > 0 && { description: `Kept as yours: ${kept.join(", ")}.` }),
        },
        replace: true,
      }),
      failed: { dialog: "Failed to remove the sample team" },
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

/** Lazy, since it is rarely used. */
const PanelChat = lazy(() => import("~/work/chat/components/panel-chat"));

interface ChatProps extends Pick<Loaded, "asker" | "chatModel" | "chatRefusal" | "enterSends"> {
  content: string | undefined;
  error: string | undefined;
}

function Chat({ asker, chatModel, chatRefusal, enterSends, content, error }: ChatProps) {
  const [firstQuestion, setFirstQuestion] = useState<{ question: string; id: number }>();
  const [conversation, setConversation] = useState<string>();
  const [own, setOwn] = useState<string>();
  const model = own ?? chatModel;
  // The header's picker has the same list, which the page needn't carry twice.
  const { shell } = useRouteLoaderData<{ shell?: { models: OfferedModel[] } }>("routes/shell/layout") ?? {};
  return (
    <ChatPanel
      models={shell?.models ?? []}
      model={model}
      onModel={setOwn}
      refusal={chatRefusal}
      content={content}
      error={error}
      isSendKey={(event) => isSendKey(event, enterSends)}
      openTo={conversation ? `/chat/${conversation}` : "/chat"}
      onAsk={(question) => setFirstQuestion({ question, id: Date.now() })}
      onNew={() => {
        setFirstQuestion(undefined);
        setConversation(undefined);
      }}
    >
      {firstQuestion && (
        <Suspense fallback={<p className="min-h-40 text-muted">Sending…</p>}>
          <PanelChat
            key={firstQuestion.id}
            first={firstQuestion.question}
            options={{
              model,
              maxSteps: MAX_STEPS.default,
              tools: PANEL_TOOLS,
              offeredTools: PANEL_OFFERED,
            }}
            asker={asker}
            enterSends={enterSends}
            onCreated={setConversation}
          />
        </Suspense>
      )}
    </ChatPanel>
  );
}

function More({ to, children }: { to: string; children: ReactNode }) {
  return (
    <LinkButton to={to} variant="ghost" size="sm" className="-my-1.5 -ml-2.5">
      {children}
      <ArrowRight aria-hidden="true" />
    </LinkButton>
  );
}

/** Shown until there is a document (console.md, section 9). */
const SAMPLE_DOCUMENTS = 1247;
const SAMPLE_PROVIDERS = 4;

function DocumentsCard({ documents }: Pick<Overview, "documents">) {
  const { hasData = true, newest = [], total = 0 } = documents ?? {};
  return (
    <Card
      title="RAG Documents"
      icon={<Brain />}
      description={
        documents && (
          <>
            {countOf(hasData ? total : SAMPLE_DOCUMENTS, "document")} {!hasData && <Sample />}
          </>
        )
      }
      footer={<More to="/rag">View all documents</More>}
    >
      {!documents ? (
        <LoadError part="Documents" />
      ) : newest.length > 0 ? (
        <NewestDocuments documents={newest} />
      ) : (
        <p className="text-muted">
          {hasData ? "No documents shared with you" : "The first document replaces this sample."}
        </p>
      )}
    </Card>
  );
}

function WorkflowsCard({ workflows }: Pick<Overview, "workflows">) {
  return (
    <Card
      title="Active Workflows"
      icon={<Workflow />}
      footer={<More to="/workflows">View all workflows</More>}
    >
      {!workflows ? (
        <LoadError part="Workflows" />
      ) : !workflows.hasData ? (
        <SampleRuns />
      ) : workflows.runs.length > 0 ? (
        <ActiveRuns runs={workflows.runs} />
      ) : (
        <p className="text-muted">No workflow is running</p>
      )}
    </Card>
  );
}

interface ProvidersCardProps extends Pick<Overview, "providers"> {
  mayConfigure: boolean;
}

function ProvidersCard({ providers, mayConfigure }: ProvidersCardProps) {
  const hasProviders = !providers || providers.cards.length > 0;
  const online = hasProviders ? providers?.online : SAMPLE_PROVIDERS;
  return (
    <Card
      title="Provider Status"
      icon={<Network />}
      description={
        online !== undefined && (
          <>
            {formatCount(online)} online {!hasProviders && <Sample />}
          </>
        )
      }
      footer={mayConfigure && <More to="/settings/providers">Manage providers</More>}
    >
      {!providers ? (
        <LoadError part="Providers" />
      ) : hasProviders ? (
        <ProviderList providers={providers.cards} />
      ) : (
        <p className="text-muted">
          {mayConfigure
            ? "The first provider replaces this sample. Connect OpenAI, Anthropic, Google or any compatible server."
            : "The first provider replaces this sample. Ask an admin to connect one."}
        </p>
      )}
    </Card>
  );
}

interface ActivityCardProps {
  people: People;
  recent: { hasData: boolean; entries: DescribedEntry[] } | undefined;
}

function ActivityCard({ people, recent }: ActivityCardProps) {
  return (
    <Card
      title="Recent Activity"
      icon={<Activity />}
      footer={<More to="/audit">View full audit log</More>}
      className="lg:max-xl:col-span-2"
    >
      {!recent ? (
        <LoadError part="Activity" />
      ) : recent.entries.length > 0 ? (
        <div className="-my-2.5">
          <AuditList entries={recent.entries} people={people} />
        </div>
      ) : !recent.hasData ? (
        <SampleEntries />
      ) : (
        <p className="text-muted">No activity yet</p>
      )}
    </Card>
  );
}

export default function Dashboard() {
  const loaded = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const [search] = useSearchParams();
  useLiveTopics(loaded ? ["documents", "workflows", "usage", "audit"] : []);
  if (!loaded) return null;
  const { overview, plots } = loaded;
  // Real plots come first; outlines of them stand below the figures.
  const hasPlots = plots.usage?.hasData ?? true;
  return (
    <>
      <PageHeader title="Dashboard" subtitle="AI/AGI Control Platform Overview" />
      <PageTabs label="Dashboard" tabs={dashboardTabs("overview", loaded.mayBudget)} />
      <div className="flex flex-col gap-4">
        {loaded.steps.length > 0 && <FirstSteps steps={loaded.steps} />}
        {loaded.samples && <SampleTeam offer={loaded.samples} dialog={search.get("dialog")} />}
        {hasPlots && <Plots plots={plots} />}
        <Stats overview={overview} />
        {!hasPlots && <Plots plots={plots} />}
        <div className="grid gap-4 lg:grid-cols-3">
          <div className="flex min-w-0 flex-col lg:col-span-2 [&>*]:flex-1">
            <Chat
              {...loaded}
              content={result && String(result.initialValue?.content ?? "")}
              error={Object.values(errorsOf(result))[0]?.[0]}
            />
          </div>
          <DocumentsCard documents={overview.documents} />
        </div>
        <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
          <WorkflowsCard workflows={overview.workflows} />
          <ProvidersCard providers={overview.providers} mayConfigure={loaded.mayConfigure} />
          <ActivityCard people={loaded.people} recent={loaded.recent} />
        </div>
      </div>
    </>
  );
}
