import { useNavigate, useRevalidator, useSearchParams } from "@remix-run/react";
import {
  type FormEvent,
  type MutableRefObject,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { EFFORT_LABELS } from "~/ai/models/model-picker.shared";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { Spinner } from "~/ui/button";
import { countOf } from "~/ui/format";
import { useHydrated } from "~/ui/hydration";
import type { Attachment } from "../attachments/attachments.schema";
import type { ShownConversation } from "../chat.schema";
import type { Asker, ChatChoices, ChatOptions, Starter } from "../chat-choices.shared";
import { contextShare } from "../context/context-use.shared";
import { type Attachments, useAttachments, useSendAfterUploads } from "./attachments/use-attachments";
import { type Branching, BranchingProvider, useBranchingOf } from "./branching";
import { ChatColumn } from "./chat-column";
import { ChatDrawer, columnsFor, DrawerButton, useChatDrawer } from "./chat-drawer";
import { ChatHeader } from "./chat-header";
import { Composer, selectedToolsOff, toolsLeftOut, unseenImages, useFocusWhenNew } from "./composer";
import {
  ApprovalsProvider,
  type RefusedAnswer,
  type RefusedCall,
  SharingProvider,
  useSharing,
} from "./conversation-provider";
import { JumpToLatest, useFollowEnd } from "./follow-end";
import {
  branchBar,
  chatSettings,
  composerNotices,
  emptyConversation,
  memoryProposals,
  messages,
  notices,
  preloadAnswer,
  preloadMessages,
  sourcePanel,
  starters as starterList,
  warnings,
} from "./lazy-parts";
import type { Proposal } from "./memory-proposals";
import { drawerBeside, OpenSourceProvider, useOpenedSource } from "./opened-source";
import { useAnswer } from "./use-answer";
import type { ChosenOptions } from "./use-chat-options";
import { useDraft } from "./use-draft";

interface ReturnedDraft {
  content: string;
  error: string | undefined;
  attachments?: readonly Attachment[];
}

interface Props {
  choices: ChatChoices;
  chosen: ChosenOptions;
  defaults: ChatOptions;
  conversation: ShownConversation | undefined;
  /** The folder that it is in, or goes into. */
  project: { id: string; name: string } | undefined;
  visit: string;
  compared: Branching["compared"];
  refusedEdit: Branching["refused"];
  renderings: Readonly<Record<string, string>>;
  starters: Starter[];
  /** What of voice goes through providers. */
  voice: { dictates: boolean; speaks: boolean };
  asker: Asker;
  limitAt: string | undefined;
  enterSends: boolean;
  refusal: string | undefined;
  temporary: boolean;
  drawerOpen: boolean;
  goneModel: string | undefined;
  proposals: readonly Proposal[];
  /** Text of a refused form, or of one that only changed the persona. */
  draft: ReturnedDraft | undefined;
  refusedCall: RefusedCall | undefined;
  refusedAnswer: RefusedAnswer | undefined;
  takeFiles: MutableRefObject<((files: File[]) => void) | undefined>;
  onBegin: (messageId: string) => void;
  onReading: (reading: boolean) => void;
  /** Beside the composer's button for files. */
  links?: ReactNode;
  children?: ReactNode;
}

const FORM = "chat-form";
/** Percent of the context from which the composer says so. */
const FULL = 50;

/** A plain form whose answer streams as HTML, or in place with JavaScript. */
export function ChatScreen(props: Props) {
  const { choices, chosen, conversation, project, renderings, refusal, goneModel, draft, asker } = props;
  const { options, noteCreated } = chosen;
  const hydrated = useHydrated();
  const input = useRef<HTMLTextAreaElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const [sent, setSent] = useState(0);
  const hooks = useRef<{ text: ReturnType<typeof useDraft>; files: Attachments }>();
  const onCreated = useCallback(
    (id: string) => {
      hooks.current?.text.rename(id);
      hooks.current?.files.rename(id);
      noteCreated(id);
    },
    [noteCreated],
  );
  const onUnsent = useCallback((text: string, files: readonly Attachment[], sentAs?: string) => {
    hooks.current?.text.restore(text, sentAs);
    hooks.current?.files.restore(files);
  }, []);
  const { revalidate: onEnded } = useRevalidator();
  const { onBegin, onReading, refusedCall, refusedAnswer } = props;
  const chat = useAnswer({ conversation, visit: props.visit, onBegin, onCreated, onUnsent, onEnded });
  useEffect(() => onReading(chat.loading), [onReading, chat.loading]);
  const written = useDraft({
    person: asker.id,
    conversationId: chat.conversationId,
    returned: draft?.content,
    messages: conversation?.messages,
    input,
  });
  const attachments = useAttachments({
    person: asker.id,
    conversationId: chat.conversationId,
    messages: conversation?.messages,
    returned: draft?.attachments,
  });
  hooks.current = { text: written, files: attachments };
  props.takeFiles.current = attachments.add;
  const empty = chat.messages.length === 0;
  useFocusWhenNew(input, empty && refusal === undefined);
  // Older messages and other branches are read-only.
  const elsewhere = conversation && (conversation.hasLater || !conversation.isActiveBranch);
  const [search] = useSearchParams();
  const isAtMessage = elsewhere || (search.has("message") && sent === 0);
  const areDrawn = messages.useLoaded();
  const end = useFollowEnd({
    content: areDrawn ? chat.messages : undefined,
    opened: conversation?.id,
    sent,
    empty: empty || isAtMessage,
  });
  const opened = useOpenedSource(chat.conversationId);
  const drawer = drawerBeside(useChatDrawer(props.drawerOpen), opened);
  const nameOf = (model: string) => choices.models.find(({ id }) => id === model)?.name ?? model;
  const model = nameOf(options.model) || "No model";
  const reasons = choices.models.find(({ id }) => id === options.model)?.reasons ?? false;
  const effort =
    reasons && options.effort !== "default"
      ? ` (effort: ${EFFORT_LABELS[options.effort].toLowerCase()})`
      : "";
  const persona = choices.personas.find(({ id }) => id === options.persona);
  const answered = chat.messages.findLast(({ metrics }) => metrics?.context !== undefined);
  const share = contextShare(answered?.metrics?.context) ?? 0;
  const sharing = useSharing(chat.conversationId, conversation?.sharingAllowed ?? false);
  const disabled = refusal !== undefined;
  const live = conversation?.messages.at(-1)?.status === "streaming";
  const last = chat.messages.at(-1);
  const begins = project ? `?folder=${project.id}` : "";
  const action = `/chat${chat.conversationId ? `/${chat.conversationId}` : begins}`;
  const { approvedTools = [] } = conversation ?? {};
  const { decide, loading: isAnswering } = chat;
  // On touch screens the field would open the keyboard.
  const focusInput = useCallback(() => {
    const next = window.matchMedia("(pointer: fine)").matches ? input : log;
    next.current?.focus({ preventScroll: true });
  }, []);
  const approvals = useMemo(
    () => ({
      action,
      isAnswering,
      decide: async (decision: FormData) => {
        const problem = await decide(decision);
        // The decided call's buttons are gone.
        if (problem === undefined) focusInput();
        return problem;
      },
      onAnswered: focusInput,
      refused: refusedCall,
      refusedAnswer,
    }),
    [action, isAnswering, decide, refusedCall, refusedAnswer, focusInput],
  );
  const answerOptions = {
    model: options.model || undefined,
    persona: options.persona || null,
    folderId: project?.id,
    maxSteps: options.maxSteps,
    reasoningEffort: options.effort,
    tools: options.tools,
    memory: options.memory,
  };
  const ask = (text: string, files: readonly Attachment[] = [], tools = options.tools) => {
    if ((text === "" && files.length === 0) || chat.loading || disabled) return false;
    preloadAnswer();
    setSent((count) => count + 1);
    void chat.send(text, { ...answerOptions, tools }, files);
    return true;
  };
  const seeing = { attachments, models: choices.models, model: options.model };
  const tooled = { models: choices.models, model: options.model, tools: options.tools };
  const unseen = unseenImages(seeing).length > 0;
  const sendNow = () => {
    if (unseen || !ask(written.content.trim(), attachments.ready)) return;
    attachments.take();
    written.change("");
    input.current?.focus({ preventScroll: true });
  };
  const queue = useSendAfterUploads(attachments, chat.conversationId, sendNow);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (attachments.uploading === 0) sendNow();
    else if (!chat.loading && !unseen) queue.add();
  };

  const branching = useBranchingOf({
    chat,
    choices,
    compared: props.compared,
    refused: props.refusedEdit,
    limitAt: props.limitAt,
    enterSends: props.enterSends,
    speaks: props.voice.speaks,
    disabled,
    onBegin: () => {
      preloadAnswer();
      setSent((count) => count + 1);
      // The pressed button is gone or disabled.
      focusInput();
    },
    options: answerOptions,
  });
  const navigate = useNavigate();
  const lastQuestion = chat.messages
    .filter(({ role, id }) => role === "user" && !id.startsWith("local-"))
    .at(-1);
  const editLast =
    branching && lastQuestion && !chat.loading
      ? () => navigate(branching.addressOf("edit", lastQuestion.id), { preventScrollReset: true })
      : undefined;
  const askStarter = (text: string, tool: string | undefined) => {
    const tools = [...new Set([...options.tools, ...(tool ? [tool] : [])])];
    chosen.change({ tools });
    ask(text, [], tools);
  };
  const starters = { action, starters: props.starters, options, onAsk: askStarter };

  return (
    <SharingProvider value={sharing}>
      <ApprovalsProvider value={approvals}>
        <div data-bleed="" className={columnsFor(drawer, opened.source !== undefined)}>
          <div className="flex min-w-0 flex-1 flex-col">
            <ChatHeader
              conversation={conversation}
              project={project}
              disabled={disabled}
              temporary={props.temporary}
              isStored={chat.conversationId !== undefined}
              onClear={chat.reset}
            />
            <ChatColumn
              log={log}
              refusal={refusal}
              messages={
                empty ? (
                  <emptyConversation.Part disabled={disabled} takesTools={!toolsLeftOut(tooled)}>
                    <starterList.Part
                      {...starters}
                      personas={choices.personas}
                      onPersona={(persona) => {
                        chosen.change({ persona });
                        input.current?.focus();
                      }}
                    />
                  </emptyConversation.Part>
                ) : (
                  <BranchingProvider value={branching}>
                    <OpenSourceProvider value={opened.open}>
                      <messages.Part
                        fallback={<Spinner />}
                        action={chat.conversationId && action}
                        messages={chat.messages}
                        renderings={renderings}
                        asker={asker}
                        summary={conversation?.summary ?? null}
                        hasEarlier={chat.hasEarlier}
                        hasLater={conversation?.hasLater ?? false}
                        onEarlier={chat.addEarlier}
                        starters={chat.loading || disabled ? undefined : <starterList.Part {...starters} />}
                      />
                    </OpenSourceProvider>
                  </BranchingProvider>
                )
              }
            >
              {!disabled && (goneModel || refusedCall || refusedAnswer) && (
                <warnings.Part
                  goneModel={goneModel}
                  model={nameOf(props.defaults.model)}
                  refusedCall={refusedCall}
                  refusedAnswer={refusedAnswer}
                  messages={chat.messages}
                />
              )}
              {(sharing?.allowed || approvedTools.length > 0) && (
                <notices.Part approvedTools={approvedTools} />
              )}
              {conversation && props.proposals.length > 0 && (
                <memoryProposals.Part proposals={props.proposals} conversation={conversation} />
              )}
              {live && !hydrated && conversation && (
                <p className="pb-3 text-sm print:hidden">
                  <a href={withBase(`/chat/${conversation.id}/live`)} className="text-primary-ink underline">
                    Watch the answer live
                  </a>
                </p>
              )}
              {/* Not over the fields of a tool's question, which stand just above it. */}
              <div className="-mx-4 sticky short:relative in-[main:has([data-question])]:relative bottom-0 z-10 bg-canvas px-4 pb-[max(0.5rem,env(safe-area-inset-bottom))] print:hidden">
                <JumpToLatest end={end} onJump={() => log.current?.focus({ preventScroll: true })} />
                {!disabled && elsewhere && last && (
                  <branchBar.Part
                    action={action}
                    last={last.id}
                    isActiveBranch={conversation.isActiveBranch}
                  />
                )}
                {!disabled && !elsewhere && (
                  <Composer
                    ref={input}
                    formId={FORM}
                    action={action}
                    content={written.content}
                    onContent={(text) => {
                      preloadMessages();
                      written.change(text);
                    }}
                    onSend={submit}
                    onStop={() => void chat.stop()}
                    onEditLast={editLast}
                    attachments={attachments}
                    queue={queue}
                    isBlocked={unseen}
                    running={chat.loading || (live && !hydrated)}
                    enterSends={props.enterSends}
                    dictates={props.voice.dictates}
                    error={draft?.error}
                    links={props.links}
                    settings={
                      <DrawerButton drawer={drawer}>
                        {persona && `${toDisplayText(persona.name)} · `}
                        {model}
                        {effort} · {share >= FULL && `context ${share}% full · `}
                        {countOf(options.tools.length, "tool")} · {countOf(options.maxSteps, "step")}
                      </DrawerButton>
                    }
                  >
                    {props.children}
                    {(unseen || toolsLeftOut(tooled) || selectedToolsOff(tooled).length > 0) && (
                      <composerNotices.Part {...seeing} {...tooled} onModel={chosen.chooseModel} />
                    )}
                  </Composer>
                )}
              </div>
              {/* Initial scroll position: see root.tsx. */}
              {!empty && !isAtMessage && (
                <span data-open-here="" className="[scroll-initial-target:nearest]" />
              )}
            </ChatColumn>
          </div>
          {opened.source && <sourcePanel.Part source={opened.source} onClose={opened.close} />}
          <ChatDrawer drawer={drawer} closeTo={`#${FORM}`}>
            <chatSettings.Part
              fallback={<Spinner />}
              formId={FORM}
              choices={choices}
              chosen={chosen}
              answered={answered}
              messageCount={Math.max(chat.messages.length, conversation?.messageCount ?? 0)}
              disabled={disabled}
            />
          </ChatDrawer>
        </div>
      </ApprovalsProvider>
    </SharingProvider>
  );
}
