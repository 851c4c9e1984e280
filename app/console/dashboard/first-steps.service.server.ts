import { listProviders } from "~/ai/models/providers.service.server";
import { countSampleDocuments, sampleIds } from "~/console/samples/samples.service.server";
import type { Actor } from "~/core/actor";
import { may } from "~/platform/rights/authorization.server";
import { listMembers } from "~/team/members/member.service.server";
import { areFirstStepsHidden } from "~/team/members/preferences.service.server";
import { listOwnConversations } from "~/work/chat/conversations.service.server";
import { collectionStats } from "~/work/documents/documents.service.server";
import { listWorkflowNames } from "~/work/workflows/workflows.service.server";
import type { FirstStep } from "./overview.schema";

/** The steps of docs/getting-started.md within the user's rights; empty when all are done or dismissed. */
export async function firstSteps(actor: Actor): Promise<FirstStep[]> {
  if (areFirstStepsHidden(actor)) return [];
  const steps: FirstStep[] = [];
  const samples = sampleIds(actor);
  if (may(actor, "providers.manage")) {
    steps.push({
      id: "provider",
      title: "Connect a model provider",
      description: "Its key is found in the environment, or you get the line for it",
      to: "/settings/providers?dialog=add-provider",
      done: listProviders(actor).length > 0,
    });
  }
  if (may(actor, "chat.use")) {
    steps.push({
      id: "chat",
      title: "Ask a question",
      description: "The built-in model answers until a provider is connected",
      to: "/chat",
      done: listOwnConversations(actor, { limit: 1 }).conversations.length > 0,
    });
  }
  if (may(actor, "documents.write")) {
    steps.push({
      id: "documents",
      title: "Add documents",
      description: "Search them and get answers with sources",
      to: "/rag?dialog=ingest&tab=file",
      done: (await collectionStats(actor)).total > countSampleDocuments(actor),
    });
  }
  if (may(actor, "workflows.write")) {
    steps.push({
      id: "workflow",
      title: "Build a workflow",
      description: "Start from a template, and watch each step run",
      to: "/workflows?dialog=templates",
      done: listWorkflowNames(actor).some(({ id }) => !samples.includes(id)),
    });
  }
  if (may(actor, "members.manage")) {
    steps.push({
      id: "invite",
      title: "Invite someone",
      description: "Create a one-time link for a colleague",
      to: "/settings/members?dialog=invite",
      done: listMembers(actor).length > 1,
    });
  }
  return steps.every((step) => step.done) ? [] : steps;
}
