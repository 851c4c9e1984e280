import { lexer, type Token, type Tokens } from "marked";
import { createElement, Fragment, memo, type ReactNode, useMemo } from "react";
import { cx } from "~/ui/class-names";
import { ScrollRegion } from "~/ui/scroll-region";
import { CitedLink, CitedText } from "./citations";
import { CodeBlock } from "./code-block";

/** A longer text is shown as it is: lexing it again for every frame would freeze the page. */
const LIMIT = 200_000;

/**
 * An address that a model wrote, if a person may follow it. Nothing else of a model's text becomes an attribute, and
 * nothing at all makes a request by itself.
 */
function safeAddress(href: string): URL | undefined {
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url : undefined;
}

/** A screen of the console itself; its API is no place for a person to follow a link to. */
const OWN_SCREEN = /^\/(?!\/|\\|api\/)/;

function Anchor({ href, label, children }: { href: string; label: string; children: ReactNode }) {
  if (OWN_SCREEN.test(href)) {
    return (
      <a href={href} className="text-primary-ink underline">
        {children}
      </a>
    );
  }
  const url = safeAddress(href);
  if (!url) return <>{children}</>;
  const host = url.protocol === "mailto:" ? url.pathname : url.host;
  return (
    <>
      <a
        href={url.href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="text-primary-ink underline"
      >
        {children}
      </a>
      {/* A link's text can claim to lead anywhere; its host can't. */}
      {label.trim() !== url.href && <span className="text-muted text-xs"> ({host})</span>}
    </>
  );
}

/** Elements by their place: tokens have no identity, and only the end of a text changes while it is written. */
function inPlace<T>(items: readonly T[], render: (item: T, index: number) => ReactNode): ReactNode {
  return createElement(Fragment, null, ...items.map(render));
}

function Inline({ tokens }: { tokens: Token[] | undefined }): ReactNode {
  return inPlace(tokens ?? [], inlineOne);
}

function inlineOne(token: Token): ReactNode {
  switch (token.type) {
    case "strong":
      return (
        <strong className="font-semibold">
          <Inline tokens={token.tokens} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      );
    case "codespan":
      return <code className="rounded-xs bg-sunken px-1 py-0.5 font-mono text-xs">{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return (
        <CitedLink
          href={token.href}
          text={token.text}
          otherwise={
            <Anchor href={token.href} label={token.text}>
              <Inline tokens={token.tokens} />
            </Anchor>
          }
        />
      );
    case "image":
      return (
        <Anchor href={token.href} label={token.text}>
          Image: {token.text || "no description"}
        </Anchor>
      );
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "escape":
      return token.text;
    case "text":
      return "tokens" in token && token.tokens ? (
        <Inline tokens={token.tokens} />
      ) : (
        <CitedText text={token.text} />
      );
    default:
      // HTML among them: a model's markup is text.
      return token.raw;
  }
}

function TableBlock({ token }: { token: Tokens.Table }) {
  const align = (index: number) =>
    token.align[index] === "right"
      ? "text-right"
      : token.align[index] === "center"
        ? "text-center"
        : "text-left";
  return (
    <ScrollRegion label="Table" className="overflow-x-auto rounded-md border border-line">
      <table className="w-full border-collapse text-sm">
        <thead className="bg-sunken">
          <tr>
            {inPlace(token.header, (cell, index) => (
              <th scope="col" className={cx("px-3 py-2 font-medium", align(index))}>
                <Inline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {inPlace(token.rows, (row) => (
            <tr className="border-line border-t">
              {inPlace(row, (cell, index) => (
                <td className={cx("px-3 py-2 align-top", align(index))}>
                  <Inline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function ListBlock({ token }: { token: Tokens.List }) {
  const items = inPlace(token.items, (item) => (
    <li className="pl-1">
      <Blocks tokens={item.tokens} />
    </li>
  ));
  if (!token.ordered) return <ul className="ml-5 list-disc space-y-1">{items}</ul>;
  return (
    <ol start={typeof token.start === "number" ? token.start : 1} className="ml-5 list-decimal space-y-1">
      {items}
    </ol>
  );
}

/** A model's headings begin below the page's own. */
const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

const Block = memo(
  function Block({ token }: { token: Token }): ReactNode {
    switch (token.type) {
      case "heading": {
        const Heading = HEADINGS[(token as Tokens.Heading).depth - 1] ?? "h6";
        return (
          <Heading className="pt-1 font-semibold text-md">
            <Inline tokens={token.tokens} />
          </Heading>
        );
      }
      case "paragraph":
        return (
          <p>
            <Inline tokens={token.tokens} />
          </p>
        );
      case "code":
        return <CodeBlock code={token.text} language={token.lang} />;
      case "blockquote":
        return (
          <blockquote className="space-y-2 border-line border-l-2 pl-3 text-muted">
            <Blocks tokens={token.tokens ?? []} />
          </blockquote>
        );
      case "list":
        return <ListBlock token={token as Tokens.List} />;
      case "table":
        return <TableBlock token={token as Tokens.Table} />;
      case "hr":
        return <hr className="border-line" />;
      case "space":
      case "def":
        return null;
      default:
        return inlineOne(token);
    }
  },
  (before, after) => before.token.raw === after.token.raw && before.token.type === after.token.type,
);

function Blocks({ tokens }: { tokens: Token[] }): ReactNode {
  return inPlace(tokens, (token) => <Block token={token} />);
}

/** Deeper nesting than this is nobody's prose, and rendering it would use up the stack. */
const MAX_DEPTH = 40;

function isShallow(tokens: readonly Token[], depth = 1): boolean {
  if (depth > MAX_DEPTH) return false;
  return tokens.every((token) => {
    const inner = "tokens" in token && Array.isArray(token.tokens) ? token.tokens : [];
    const items = token.type === "list" ? (token as Tokens.List).items : [];
    return isShallow(inner, depth + 1) && items.every((item) => isShallow(item.tokens, depth + 1));
  });
}

function lex(text: string): Token[] | undefined {
  if (text.length > LIMIT) return undefined;
  try {
    const tokens = lexer(text, { gfm: true });
    return isShallow(tokens) ? tokens : undefined;
  } catch {
    // Nested deeper than the lexer's recursion reaches: readable as plain text, and not worth losing the answer for.
    return undefined;
  }
}

/** A model's Markdown as elements, made from its tokens: no HTML of the text's own ever reaches the page. */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => lex(text), [text]);
  return (
    <div className="wrap-anywhere space-y-3 text-sm leading-6">
      {tokens ? <Blocks tokens={tokens} /> : <p className="whitespace-pre-wrap">{text}</p>}
    </div>
  );
}
