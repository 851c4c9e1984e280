import { redirect } from "@remix-run/node";
import {
  Form,
  Outlet,
  useLoaderData,
  useLocation,
  useParams,
  useRevalidator,
  useRouteError,
  useRouteLoaderData,
} from "@remix-run/react";
import { lazy, type ReactNode, Suspense, useEffect, useMemo } from "react";
import { countCatalogueModels } from "~/ai/models/catalogue.service.server";
import { ModelPicker } from "~/ai/models/components/model-picker";
import { listModels, offerModels, topBarModel } from "~/ai/models/models.service.server";
import { listProviderTypes } from "~/ai/models/providers.service.server";
import { builtInTools } from "~/ai/tools/tools.service.server";
import { Palette } from "~/console/palette/components/palette";
import { listMissingNeeds } from "~/console/palette/find.service.server";
import { sampleIds } from "~/console/samples/samples.service.server";
import { sectionOf } from "~/console/shell/components/navigation";
import { HIDDEN_SIDE, Shell, SIDE_COOKIE } from "~/console/shell/components/shell";
import { SideNavigation, UserCard } from "~/console/shell/components/side-navigation";
import { readUnlessDamaged } from "~/core/storage-faults.server";
import { lacksFactor, setUpAddress } from "~/http/authentication.server";
import { readCookie } from "~/http/cookies.server";
import { screen } from "~/http/screen.server";
import { useRefetched } from "~/platform/events/components/use-live-topics";
import { countRoles } from "~/platform/rights/authorization.server";
import { ProblemNotice } from "~/team/backups/components/problem-notice";
import { readStorageProblems } from "~/team/backups/storage-problems.service.server";
import { brandInitial } from "~/team/branding/brand.shared";
import { readBranding, themeOf } from "~/team/branding/branding.service.server";
import { currentUser } from "~/team/members/member.service.server";
import { Bell } from "~/team/notifications/components/bell";
import { countUnread } from "~/team/notifications/notifications.service.server";
import { teamTitle } from "~/team/organization/organization.service.server";
import { Button } from "~/ui/button";
import { ErrorPage } from "~/ui/error-page";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { BrandLogo } from "~/ui/logo";
import { useInPlace } from "~/ui/sending";
import { FOLDERS_COOKIE, openFoldersIn } from "~/work/chat/chat-choices.shared";
import { ConversationNav } from "~/work/chat/components/list/conversation-nav";
import { listNavigation } from "~/work/chat/list/list.service.server";
import { hasSharedConversations } from "~/work/chat/shares/shared-conversations.service.server";
import { bundledTitles } from "~/work/plugins/plugins.service.server";

/** Prevents navigation to a dropped file. */
function useDropGuard(): void {
  useEffect(() => {
    const controller = new AbortController();
    const guard = (event: DragEvent) => {
      const { dataTransfer, defaultPrevented, target } = event;
      // On the window, after drop targets.
      if (defaultPrevented || !dataTransfer?.types.includes("Files")) return;
      if (target instanceof Element && target.closest("input[type=file]")) return;
      event.preventDefault();
      dataTransfer.dropEffect = "none";
    };
    window.addEventListener("dragover", guard, { signal: controller.signal });
    window.addEventListener("drop", guard, { signal: controller.signal });
    return () => controller.abort();
  }, []);
}

const MAX_RECENT = 4;

// Server only: its page has no scripts.
const Landing = import.meta.env.SSR
  ? lazy(() => import("~/console/landing/components/landing").then((module) => ({ default: module.Landing })))
  : undefined;

const { loader } = screen({
  access: "public",
  load: ({ actor, url, request, context }) => {
    const choice = (name: string) => readCookie(request, name, { secure: false });
    // Before the landing page, too.
    if (!actor && url.pathname === "/" && lacksFactor(request, context))
      throw redirect(setUpAddress("/"), 303);
    const branding = readBranding();
    // Signed out, `/` shows the landing page; other screens redirect to sign-in.
    if (!actor && url.pathname !== "/") return {};
    if (!actor) {
      const facts = {
        models: countCatalogueModels(),
        tools: builtInTools(),
        plugins: bundledTitles(),
        providerTypes: listProviderTypes().map((type) => type.label),
        roles: countRoles(),
      };
      return { landing: { branding: { ...branding, initial: brandInitial(branding) }, facts } };
    }
    const models = listModels(actor);
    return {
      shell: {
        appName: branding.appName,
        logoUrl: branding.logoUrl,
        initial: brandInitial(branding),
        teamTitle: teamTitle(actor),
        theme: themeOf(actor),
        user: currentUser(actor),
        models: offerModels(actor),
        // Without what is damaged, so that the way to a backup stays open.
        unread: readUnlessDamaged(() => countUnread(actor), 0),
        missingNeeds: listMissingNeeds(actor),
        ...readUnlessDamaged(() => listNavigation(actor, openFoldersIn(choice(FOLDERS_COOKIE))), {
          conversations: [],
          folders: [],
        }),
        isSideHidden: choice(SIDE_COOKIE) === HIDDEN_SIDE,
        hasShared: readUnlessDamaged(() => hasSharedConversations(actor), false),
        problems: readStorageProblems(actor),
        model: topBarModel(actor, models),
        samples: sampleIds(actor),
      },
    };
  },
});

/** Dialogs change nothing around them. */
const shouldRevalidate = ignoreDialogParams({ names: ["dialog", "id", "model", "tab"] });

export { loader, shouldRevalidate };

type LoaderData = ReturnType<typeof useLoaderData<typeof loader>>;
type ShellData = NonNullable<LoaderData["shell"]>;

export default function ShellLayout() {
  const loaded = useLoaderData<typeof loader>();
  if (loaded.landing && Landing) {
    return (
      <Suspense>
        <Landing branding={loaded.landing.branding} facts={loaded.landing.facts} />
      </Suspense>
    );
  }
  if (loaded.shell) {
    return (
      <SignedIn shell={loaded.shell}>
        <Outlet />
      </SignedIn>
    );
  }
  return (
    <main>
      <Outlet />
    </main>
  );
}

/** Reloads a conversation whose title has changed. */
function useChangedTitle(loaded: ShellData["conversations"], updated: ShellData["conversations"]): void {
  const { conversationId } = useParams();
  const { revalidate } = useRevalidator();
  const titleIn = (list: ShellData["conversations"]) => list.find(({ id }) => id === conversationId)?.title;
  const title = titleIn(updated);
  const isChanged = title !== undefined && title !== titleIn(loaded);
  useEffect(() => {
    if (isChanged) revalidate();
  }, [isChanged, revalidate]);
}

interface SignedInProps {
  shell: ShellData;
  children: ReactNode;
}

function SignedIn({ shell, children }: SignedInProps) {
  useDropGuard();
  const { unread } = useRefetched<{ unread: number }>(shell, "notifications", "/api/notifications/count");
  const { conversations, folders } = useRefetched<Pick<ShellData, "conversations" | "folders">>(
    shell,
    "conversations",
    "/chat/navigation",
  );
  useChangedTitle(shell.conversations, conversations);
  const recent = useMemo(
    () =>
      conversations
        .filter(({ period }) => period !== "pinned")
        .slice(0, MAX_RECENT)
        .map(({ id, title }) => ({ kind: "conversation" as const, id, title, to: `/chat/${id}` })),
    [conversations],
  );
  return (
    <Shell
      teamTitle={shell.teamTitle}
      isSideHidden={shell.isSideHidden}
      mark={<BrandLogo src={shell.logoUrl} initial={shell.initial} />}
      side={
        <SideNavigation
          appName={shell.appName}
          logoUrl={shell.logoUrl}
          initial={shell.initial}
          conversations={
            (conversations.length > 0 || folders.length > 0 || shell.hasShared) && (
              <ConversationNav
                conversations={conversations}
                folders={folders}
                hasShared={shell.hasShared}
                className="mt-2 min-h-48 flex-1 overflow-y-auto"
              />
            )
          }
        >
          <UserCard user={shell.user} theme={shell.theme} />
        </SideNavigation>
      }
      tools={
        <>
          <DefaultModel {...shell} />
          <Bell unread={unread} />
          <Palette missingNeeds={shell.missingNeeds} recent={recent} />
        </>
      }
    >
      {shell.problems.map((problem) => (
        <ProblemNotice key={problem.code} {...problem} mayRestore={shell.user.role === "owner"} />
      ))}
      {children}
    </Shell>
  );
}

/** Keeps the navigation on errors. */
export function ErrorBoundary() {
  const loaded = useRouteLoaderData<typeof loader>("routes/shell/layout");
  const { pathname } = useLocation();
  const page = <ErrorPage error={useRouteError()} section={sectionOf(pathname)} />;
  if (loaded?.shell) return <SignedIn shell={loaded.shell}>{page}</SignedIn>;
  return <main className="mx-auto max-w-2xl px-4 py-[10vh]">{page}</main>;
}

/** Sets the session's model and the preferred one. Without JavaScript, a button submits it. */
function DefaultModel({ models, model }: Pick<ShellData, "models" | "model">) {
  const location = useLocation();
  const { send, formData } = useInPlace("model-picker");
  const chosen = formData?.get("model");
  return (
    <Form method="post" action="/model" className="flex min-w-0 items-center gap-2">
      <input type="hidden" name="returnTo" value={location.pathname + location.search} />
      <label htmlFor="model-picker" className="sr-only">
        Model
      </label>
      <ModelPicker
        id="model-picker"
        name="model"
        models={models}
        value={typeof chosen === "string" ? chosen : model}
        className="w-33 noscript:max-sm:w-20 sm:w-48 lg:w-60 max-sm:[&_select]:pr-6 max-sm:[&_select]:pl-2 max-sm:[&_select]:text-xs max-sm:[&_svg]:right-1.5 [&_select]:border-line [&_select]:bg-raised!"
        onChange={(event) => {
          send({ model: event.currentTarget.value }, "/model");
        }}
      />
      <noscript>
        <Button size="sm">Use</Button>
      </noscript>
    </Form>
  );
}
