import { Form, Link, useNavigationType, useSearchParams } from "@remix-run/react";
import { type ComponentProps, Fragment, type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { Button, LinkButton, Spinner } from "~/ui/button";
import { problemDetail, UNREACHABLE } from "~/ui/failures";
import { useBrowserLayout } from "~/ui/hydration";
import { showToast } from "~/ui/toast-store";
import type { ChatMessage } from "../chat.schema";
import type { Asker } from "../chat-choices.shared";
import type { ContextSummary } from "../context/context.schema";
import { type EarlierPassages, earlierPassages, sourcesOf } from "../sources.shared";
import { type Branching, BranchingProvider, useBranching } from "./branching";
import { conversationSummary } from "./message-parts";
import { MessageView } from "./message-view";

interface ComparedProps {
  message: ChatMessage;
  branching: Branching;
  earlier: EarlierPassages | undefined;
}

function ComparedVariants({ message, branching, earlier }: ComparedProps) {
  const { messages = [], renderings = {} } = branching.compared ?? {};
  return (
    <section aria-label="Versions of this answer" className="space-y-3">
      <header className="flex items-center justify-between gap-2">
        <h2 className="text-sm">{messages.length} versions of this answer</h2>
        <LinkButton to={branching.addressOf()} preventScrollReset replace variant="ghost" size="sm">
          Close
        </LinkButton>
      </header>
      <div className="grid gap-3 sm:grid-cols-[repeat(auto-fit,minmax(18rem,1fr))]">
        {messages.map((variant) => (
          <div
            key={variant.id}
            className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4"
          >
            <h3 className="wrap-anywhere text-sm">
              Version {message.variants.indexOf(variant.id) + 1} · {variant.model}
            </h3>
            <div className="flex-1">
              <BranchingProvider value={undefined}>
                <MessageView
                  message={variant}
                  rendering={renderings[variant.id]}
                  earlier={earlier}
                  untitled
                />
              </BranchingProvider>
            </div>
            <Form method="post" action={branching.action} preventScrollReset>
              <input type="hidden" name="messageId" value={variant.id} />
              <Button name="intent" value="variant" size="sm" disabled={branching.busy}>
                Use This Version
              </Button>
            </Form>
          </div>
        ))}
      </div>
    </section>
  );
}

function BranchMessage(props: ComponentProps<typeof MessageView>) {
  const branching = useBranching(props.message);
  const { id, variants } = props.message;
  const isCompared = branching?.opened?.panel === "variants" && branching.opened.messageId === id;
  if (!isCompared || !branching?.compared || variants.length === 0) return <MessageView {...props} />;
  return (
    <div id={id} className="scroll-mt-32">
      <ComparedVariants message={props.message} branching={branching} earlier={props.earlier} />
    </div>
  );
}

type Renderings = Readonly<Record<string, string>>;

const LINK = "inline-flex min-h-8 items-center gap-2 text-primary-ink underline pointer-coarse:min-h-11";

/** Whether the built-in model found nothing to answer with, as for a greeting or an empty collection. */
function hasNoAnswer({ role, status, model, parts }: ChatMessage): boolean {
  if (role !== "assistant" || status !== "complete" || model !== OFFLINE_MODEL) return false;
  const others = parts.some((part) => part.type === "tool" && part.toolName !== "qdrant.search");
  return !others && !sourcesOf(parts, undefined).list.some(({ cited }) => cited);
}

interface OlderPage {
  messages: ChatMessage[];
  hasEarlier: boolean;
  renderings: Renderings;
}

interface MessagesProps {
  action: string | undefined;
  messages: readonly ChatMessage[];
  renderings: Renderings;
  asker: Asker;
  summary: ContextSummary | null;
  hasEarlier: boolean;
  hasLater: boolean;
  onEarlier: (older: ChatMessage[], hasEarlier: boolean) => void;
  starters: ReactNode;
}

function TrimmedNotice({ contextLength }: { contextLength: number }) {
  return (
    <p className="flex items-center gap-3 text-balance text-center text-muted text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      <span className="max-w-[80%]">
        Messages above aren't sent to the model: they exceed its context of{" "}
        {contextLength.toLocaleString("en-US")} tokens
      </span>
    </p>
  );
}

const showProblem = (description: string) =>
  showToast({ kind: "error", title: "Couldn't load earlier messages", description });

function useOlder({ action, messages, renderings, onEarlier }: MessagesProps) {
  const [loading, setLoading] = useState(false);
  const [older, setOlder] = useState<Renderings>({});
  const fromEnd = useRef<number>();
  const first = messages[0]?.id;
  useBrowserLayout(() => {
    const scroller = document.scrollingElement;
    if (fromEnd.current === undefined || !scroller) return;
    scroller.scrollTop = scroller.scrollHeight - fromEnd.current;
    fromEnd.current = undefined;
  }, [first]);
  const load = useCallback(async () => {
    setLoading(true);
    try {
      const response = await fetch(withBase(`${action}/messages?before=${first}`));
      if (!response.ok) return showProblem(await problemDetail(response));
      const page = (await response.json()) as OlderPage;
      const scroller = document.scrollingElement;
      if (scroller) fromEnd.current = scroller.scrollHeight - scroller.scrollTop;
      setOlder((loaded) => ({ ...loaded, ...page.renderings }));
      onEarlier(page.messages, page.hasEarlier);
    } catch {
      showProblem(UNREACHABLE);
    } finally {
      setLoading(false);
    }
  }, [action, first, onEarlier]);
  const drawn = useMemo(() => ({ ...older, ...renderings }), [older, renderings]);
  return { loading, load, drawn };
}

/** Scrolls to a linked message: the router may have scrolled before this part had loaded. */
function useScrollTo(targetId: string | null): void {
  // Back and reload keep the position.
  const byHistory = useNavigationType() === "POP";
  useBrowserLayout(() => {
    if (targetId && !byHistory) document.getElementById(targetId)?.scrollIntoView();
  }, [targetId]);
}

export function ConversationMessages(props: MessagesProps) {
  const { action, messages, asker, summary, hasEarlier, hasLater, starters } = props;
  const last = messages.at(-1);
  const { loading, load, drawn } = useOlder(props);
  const targetId = useSearchParams()[0].get("message");
  useScrollTo(targetId);
  const earlier = useMemo(() => earlierPassages(messages), [messages]);
  const trimmed = messages.findLast(({ role }) => role === "assistant")?.metrics?.trimmed;
  return (
    <>
      {hasEarlier && action && (
        <p className="text-center text-sm print:hidden">
          <Link
            to={`${action}?before=${messages[0]?.id}`}
            className={LINK}
            aria-disabled={loading || undefined}
            onClick={(event) => {
              event.preventDefault();
              if (!loading) void load();
            }}
          >
            {loading && <Spinner />} Show earlier messages
          </Link>
        </p>
      )}
      {messages.map((message, index) => (
        // A sent message keeps its elements, such as an image that was opened, once it has been stored.
        <Fragment key={message.id.replace(/^local-/, "")}>
          {trimmed?.firstSentId === message.id && <TrimmedNotice contextLength={trimmed.contextLength} />}
          <BranchMessage
            message={message}
            asker={asker}
            marked={message.id === targetId}
            rendering={drawn[message.id]}
            earlier={earlier[index]}
          />
          {action && summary?.messageId === message.id && (
            <conversationSummary.Part action={action} summary={summary} />
          )}
        </Fragment>
      ))}
      {last && hasNoAnswer(last) && starters}
      {hasLater && (
        <p className="text-center text-sm print:hidden">
          <Link to={`${action}?message=${messages.at(-1)?.id}#${messages.at(-1)?.id}`} className={LINK}>
            Show later messages
          </Link>
        </p>
      )}
    </>
  );
}
