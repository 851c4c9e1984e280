import type { MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Activity, ArrowRight, Bot, Brain, Cpu, MessageSquare, Wrench } from "lucide-react";
import { listAudit } from "~/features/audit/audit.service.server";
import { AuditList } from "~/features/audit/components/audit-list";
import { ShortcutCard, StatCard } from "~/features/dashboard/components/cards";
import { FirstSteps } from "~/features/dashboard/components/first-steps";
import { firstSteps } from "~/features/dashboard/first-steps.service.server";
import { collectionStats } from "~/features/knowledge/documents.service.server";
import { may } from "~/features/members/authorisation.server";
import { namesOfMembers } from "~/features/members/member.service.server";
import { listModels } from "~/features/models/models.service.server";
import { countPersonas } from "~/features/personas/personas.service.server";
import { hideFirstSteps } from "~/features/settings/settings.service.server";
import { builtInTools } from "~/features/tools/tools.service.server";
import { intent, screen } from "~/http/screen.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { PageHeader } from "~/ui/page-header";
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
    const models = listModels(actor);
    return {
      models: models.length,
      // Without a provider the built-in model is the only one.
      bare: models.every((model) => model.providerId === null),
      personas: countPersonas(actor),
      tools: builtInTools().length,
      documents: (await collectionStats(actor)).total,
      people: namesOfMembers(actor),
      recent: listAudit(actor, { limit: 6 }).entries,
      steps: await firstSteps(actor),
      mayChat: may(actor, "chat.use"),
      mayAdd: may(actor, "documents.write"),
      mayConfigure: may(actor, "providers.manage"),
    };
  },
  actions: {
    "hide-first-steps": intent({
      access: "preferences.write",
      run: ({ actor }) => hideFirstSteps(actor),
      done: { replace: true },
    }),
  },
});

export { action, loader };

export default function Dashboard() {
  const loaded = useLoaderData<typeof loader>();
  if (!loaded) return null;
  return (
    <>
      <PageHeader title="Dashboard" subtitle="AI/AGI Control Platform Overview" />
      {loaded.steps.length > 0 && (
        <div className="mb-4">
          <FirstSteps steps={loaded.steps} />
        </div>
      )}
      <div className="grid grid-cols-2 gap-2 sm:gap-4 lg:grid-cols-4">
        <StatCard icon={<Cpu />} label="Available models" value={loaded.models} to="/chat" />
        <StatCard icon={<Bot />} label="Personas" value={loaded.personas} to="/personas" />
        <StatCard icon={<Wrench />} label="Built-in tools" value={loaded.tools} to="/chat" />
        <StatCard icon={<Brain />} label="RAG documents" value={loaded.documents} to="/rag" />
      </div>
      <div className="mt-4 grid gap-4 lg:grid-cols-3">
        <div className="grid content-start gap-4 sm:grid-cols-2 lg:col-span-2">
          {loaded.mayChat && (
            <ShortcutCard icon={<MessageSquare />} title="AI Chat" to="/chat" action="Start a conversation">
              Ask a model, let it use tools and follow every step.
            </ShortcutCard>
          )}
          <ShortcutCard icon={<Bot />} title="Personas" to="/personas" action="See all personas">
            Reuse system prompts in every conversation.
          </ShortcutCard>
          <ShortcutCard icon={<Brain />} title="RAG Documents" to="/rag" action="View all documents">
            {loaded.documents > 0
              ? "Search your documents and get answers with sources."
              : loaded.mayAdd
                ? "Add texts, pages and files to get answers with sources."
                : "No documents yet. Members can add texts, pages and files."}
          </ShortcutCard>
          {loaded.bare && !loaded.steps.some((step) => step.id === "provider") && (
            <div className="sm:col-span-2">
              <ShortcutCard
                icon={<Cpu />}
                title="Connect a model provider"
                to={loaded.mayConfigure ? "/settings?tab=providers" : undefined}
                action="Add Provider"
              >
                {loaded.mayConfigure
                  ? "Only the built-in model is available. It runs tools but can't write answers. Connect OpenAI, Anthropic, Google or any compatible server."
                  : "Only the built-in model is available. It runs tools but can't write answers. Ask an admin to connect a provider."}
              </ShortcutCard>
            </div>
          )}
        </div>
        <Card
          title="Recent Activity"
          icon={<Activity />}
          footer={
            <LinkButton to="/audit" variant="ghost" size="sm" className="-ml-2.5">
              View full audit log
              <ArrowRight aria-hidden="true" />
            </LinkButton>
          }
        >
          {loaded.recent.length > 0 ? (
            <div className="-my-2.5">
              <AuditList entries={loaded.recent} people={loaded.people} times="long" />
            </div>
          ) : (
            <p className="text-muted">No activity yet</p>
          )}
        </Card>
      </div>
    </>
  );
}
