import { Form } from "@remix-run/react";
import { MessageSquareDashed, Save } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { toDisplayText } from "~/core/well-formed";
import { Badge } from "~/ui/badge";
import { Button, Spinner } from "~/ui/button";
import { countOf } from "~/ui/format";
import { DiscardQuestion } from "~/ui/guarded-forms";
import { HiddenFields } from "~/ui/input";
import { useLeaveGuard } from "~/ui/leave-guard";
import type { ChatMessage } from "../chat.schema";
import type { Asker, ChatChoices, ChatOptions } from "../chat-choices.shared";
import { transcriptOf } from "../temporary/transcript.shared";
import { ChatColumn } from "./chat-column";
import { ChatDrawer, columnsFor, DrawerButton, useChatDrawer } from "./chat-drawer";
import { ChatBar, ClearChat } from "./chat-header";
import { Composer } from "./composer";
import { JumpToLatest, useFollowEnd } from "./follow-end";
import { chatSettings, messages as messageList, preloadAnswer, preloadMessages } from "./lazy-parts";
import type { ChosenOptions } from "./use-chat-options";
import { useTemporaryAnswer } from "./use-temporary-answer";

const HERE = "/chat/temporary";
const FORM = "temporary-form";

interface KeepButtonProps {
  transcript: string;
  options: ChatOptions;
  disabled: boolean;
}

/** Stores the chat as a conversation. */
function KeepButton({ transcript, options, disabled }: KeepButtonProps) {
  const { model, persona, maxSteps, effort, tools } = options;
  return (
    <Form method="post" action={HERE}>
      <HiddenFields
        values={{ transcript, model, persona, maxSteps: String(maxSteps), reasoningEffort: effort }}
      />
      {tools.map((tool) => (
        <input key={tool} type="hidden" name="tools" value={tool} />
      ))}
      <Button name="intent" value="keep" size="sm" icon={<Save />} disabled={disabled}>
        <span>
          Keep<span className="max-sm:sr-only"> This Chat</span>
        </span>
      </Button>
    </Form>
  );
}

function EmptyChat() {
  return (
    <div className="flex flex-col items-center py-4 text-center sm:py-10">
      <MessageSquareDashed aria-hidden="true" className="mb-3 size-6 text-muted" />
      <h2 className="text-md">This chat is kept nowhere</h2>
      <p className="mt-1 max-w-md text-pretty text-muted">
        It is gone once you leave or reload the page, unless you keep it. Only its tokens and cost are
        recorded; the model's provider gets it like any other chat. Files can't be attached, and tools only
        read.
      </p>
    </div>
  );
}

/** Another object for each refusal. */
interface RefusedForm {
  error: string;
}

interface Props {
  choices: ChatChoices;
  chosen: ChosenOptions;
  asker: Asker;
  enterSends: boolean;
  refusal: string | undefined;
  /** Whether a model transcribes what is said. */
  dictates: boolean;
  drawerOpen: boolean;
  /** What forms without JavaScript have brought. */
  returned: { messages: ChatMessage[]; content: string; refused: RefusedForm | undefined };
  renderings: Readonly<Record<string, string>>;
  children?: ReactNode;
}

/** A chat that this page alone holds. Without JavaScript its form carries it from page to page. */
export function TemporaryChat(props: Props) {
  const { choices, chosen, asker, refusal, returned } = props;
  const { options } = chosen;
  const chat = useTemporaryAnswer(returned.messages);
  const [content, setContent] = useState(returned.content);
  const [error, setError] = useState(returned.refused?.error);
  const [sent, setSent] = useState(0);
  const [isClearing, setClearing] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const empty = chat.messages.length === 0;
  const areDrawn = messageList.useLoaded();
  const end = useFollowEnd({
    content: areDrawn ? chat.messages : undefined,
    opened: undefined,
    sent,
    empty,
  });
  const drawer = useChatDrawer(props.drawerOpen);
  const transcript = useMemo(() => JSON.stringify(transcriptOf(chat.messages)), [chat.messages]);
  useEffect(() => setError(returned.refused?.error), [returned.refused]);

  const isHeld = useRef(false);
  isHeld.current = !empty || content.trim() !== "";
  const blocker = useLeaveGuard(useMemo(() => ({ isUnsaved: () => isHeld.current }), []));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const text = content.trim();
    if (text === "" || chat.loading || refusal !== undefined) return;
    preloadAnswer();
    setSent((count) => count + 1);
    setContent("");
    setError(undefined);
    input.current?.focus({ preventScroll: true });
    const problem = await chat.send(text, {
      model: options.model || undefined,
      persona: options.persona || undefined,
      maxSteps: options.maxSteps,
      reasoningEffort: options.effort,
      tools: options.tools,
    });
    if (problem === undefined) return;
    setError(problem);
    setContent((typed) => typed || text);
  };

  const model = choices.models.find(({ id }) => id === options.model)?.name ?? options.model;
  const persona = choices.personas.find(({ id }) => id === options.persona);
  const disabled = refusal !== undefined;
  return (
    <div data-bleed="" className={columnsFor(drawer)}>
      <div className="flex min-w-0 flex-1 flex-col">
        <ChatBar>
          <h1 className="truncate text-sm">Temporary Chat</h1>
          {!disabled && <Badge tone="warning">Not stored</Badge>}
          <div className="ml-auto flex shrink-0 items-center gap-1 print:hidden">
            {/* Also once temporary chats are turned off: it would be lost. */}
            {!empty && <KeepButton transcript={transcript} options={options} disabled={chat.loading} />}
            {!disabled && (
              <ClearChat
                to={HERE}
                hint="Empties this chat, which is kept nowhere."
                onClear={(event) => {
                  event.preventDefault();
                  if (!empty) setClearing(true);
                }}
              />
            )}
          </div>
        </ChatBar>
        <ChatColumn
          log={log}
          refusal={refusal}
          messages={
            !empty ? (
              <messageList.Part
                fallback={<Spinner />}
                action={undefined}
                messages={chat.messages}
                renderings={props.renderings}
                asker={asker}
                summary={null}
                hasEarlier={false}
                hasLater={false}
                onEarlier={() => undefined}
                starters={undefined}
              />
            ) : (
              !disabled && <EmptyChat />
            )
          }
        >
          {!disabled && (
            <div className="-mx-4 sticky short:relative bottom-0 z-10 bg-canvas px-4 pb-[max(0.5rem,env(safe-area-inset-bottom))] print:hidden">
              <JumpToLatest end={end} onJump={() => log.current?.focus({ preventScroll: true })} />
              <Composer
                className="border-dashed"
                ref={input}
                formId={FORM}
                action={HERE}
                content={content}
                onContent={(text) => {
                  preloadMessages();
                  setContent(text);
                }}
                onSend={(event) => void submit(event)}
                onStop={chat.stop}
                running={chat.loading}
                enterSends={props.enterSends}
                dictates={props.dictates}
                error={error}
                settings={
                  <DrawerButton drawer={drawer}>
                    {persona && `${toDisplayText(persona.name)} · `}
                    {model || "No model"} · {countOf(options.tools.length, "tool")} ·{" "}
                    {countOf(options.maxSteps, "step")}
                  </DrawerButton>
                }
              >
                <input type="hidden" name="transcript" value={transcript} />
                {props.children}
              </Composer>
            </div>
          )}
          {isClearing && blocker.state !== "blocked" && (
            <DiscardQuestion
              question="Clear? This chat is kept nowhere."
              blocker={{
                reset: () => setClearing(false),
                proceed: () => {
                  setClearing(false);
                  chat.clear();
                },
              }}
              labels={["Cancel", "Clear"]}
              className="fixed"
            />
          )}
          {blocker.state === "blocked" && (
            <DiscardQuestion
              question="Leave? This chat is kept nowhere."
              blocker={blocker}
              labels={["Stay", "Leave"]}
              className="fixed"
            />
          )}
        </ChatColumn>
      </div>
      <ChatDrawer drawer={drawer} closeTo={`#${FORM}`}>
        <chatSettings.Part
          fallback={<Spinner />}
          formId={FORM}
          choices={choices}
          chosen={chosen}
          answered={chat.messages.findLast(({ metrics }) => metrics?.context !== undefined)}
          messageCount={chat.messages.length}
          disabled={disabled}
        />
      </ChatDrawer>
    </div>
  );
}
