import type { Actor, TokenGuardrails } from "~/core/actor";
import { cachedByConfig } from "~/core/config-cache.server";
import { AppError } from "~/core/errors";
import { PII_KINDS, type PiiKind, uniteOverlaps } from "~/core/find-pii";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { phraseLines } from "~/platform/settings/groups/guardrails.schema";
import type { SettingsOf } from "~/platform/settings/groups/index.schema";
import { readSettings } from "~/platform/settings/settings.service.server";
import { type CopiedText, copyTexts, joinGroups, type TextKind } from "./call-texts";
import { askModeration, askPresidio, type CheckService, KnownResults, trimAddress } from "./checks.server";
import { blankOut, endOfPiece, type Found, findInPiece, Masks, Pace, PIECE, replaceInTurns } from "./masking";
import { BlockList, CHECKED, lengthBefore, type TextPart } from "./phrases";
import { type GuardrailRule, RULE_LABELS } from "./rules.shared";
import { StreamedText } from "./streamed-text";

export type Direction = "request" | "answer";

type Settings = Readonly<SettingsOf<"guardrails">>;

/** A refusal by a rule, for the caller and for the records; never with the text itself. */
export interface Refusal {
  rule: GuardrailRule;
  direction: Direction;
  /** What of the rule: a line of the list, categories, or why it couldn't be checked. */
  detail: string;
  isFailure?: boolean;
}

export class GuardrailRefusal extends AppError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, cause?: unknown) {
    const { rule, direction, detail, isFailure } = refusal;
    const named = `The guardrail "${RULE_LABELS[rule]}"`;
    const message = isFailure
      ? `${named} couldn't check this ${direction}, so it was refused: ${detail}`
      : `${named} refused this ${direction}: ${detail}.`;
    const about = isFailure ? {} : { permanent: true, refuses: direction };
    super(isFailure ? "unavailable" : "guardrail", message, { cause, ...about });
    this.refusal = refusal;
  }
}

interface Judgement {
  /** Why a text is refused; absent if it is allowed. */
  refused?: string;
}

/** A chat model's judgement of a text. */
export type Judge = (
  actor: Actor,
  request: { model: string; policy: string; text: string; signal: AbortSignal | undefined },
) => Promise<Judgement>;

const judge = () => kept("guardrails judge", (): { ask: Judge | undefined } => ({ ask: undefined }));

/** At the start: how a chat model is asked, which is a call of a model itself. */
export function judgeBy(ask: Judge): void {
  judge().ask = ask;
}

interface Rules {
  settings: Settings;
  lists: readonly { rule: GuardrailRule; list: BlockList }[];
  masks: boolean;
  moderates: { request: boolean; answer: boolean };
}

const orgRules = cachedByConfig<Rules>(["settings:guardrails"], (orgId) => {
  const settings = readSettings(orgId, "guardrails");
  const list = new BlockList(phraseLines(settings.blocked));
  const moderates = (what: "requests" | "answers") =>
    settings.moderator !== "none" && settings.moderates.includes(what);
  return {
    settings,
    lists: list.isEmpty ? [] : [{ rule: "block_list", list }],
    masks: settings.maskPii,
    moderates: { request: moderates("requests"), answer: moderates("answers") },
  };
});

/** A token adds to the rules of its organization, and takes nothing away. */
function withToken(rules: Rules, own: TokenGuardrails | null | undefined): Rules {
  if (!own) return rules;
  const { lists, masks, moderates } = rules;
  const list = new BlockList(phraseLines(own.blocked));
  return {
    ...rules,
    lists: list.isEmpty ? lists : [...lists, { rule: "token_block_list", list }],
    masks: masks || own.maskPii,
    moderates: own.moderate ? { request: true, answer: true } : moderates,
  };
}

/** Characters of a text that are judged at once. */
const JUDGED = 8000;
/** Characters of a call that a moderator reads at most. */
const MAX_JUDGED = 400_000;
const CONCURRENT = 4;

const knownJudgements = new KnownResults<Judgement>();
const knownFindings = new KnownResults<Found[]>();

/** What Presidio sees before and after a piece, so that no finding is cut. */
const AROUND = 500;

/** @param around characters before and after each piece, which its neighbors have, too */
const piecesOf = (text: string, size: number, around = 0) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => {
    const [from, to] = [at * size, (at + 1) * size];
    const start = Math.max(0, from - around);
    // A character of two may be cut, which isn't text for every service.
    return { from, to, start, piece: text.slice(start, to + around).toWellFormed() };
  });

async function inParallel<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < tasks.length; at += CONCURRENT)
    results.push(...(await Promise.all(tasks.slice(at, at + CONCURRENT).map((task) => task()))));
  return results;
}

interface GuardOptions {
  actor: Actor;
  signal?: AbortSignal | undefined;
  /** Gets each refusal once, and one note if something was masked. */
  note(event: Refusal | "masked"): void;
}

/** Checks one call: its request, then its answer. */
export class Guard {
  #masks: Masks | undefined;

  constructor(
    private readonly rules: Rules,
    private readonly options: GuardOptions,
  ) {}

  /** Whether an answer is changed or checked at all. */
  get checksAnswers(): boolean {
    const { lists, moderates, settings } = this.rules;
    return lists.length > 0 || moderates.answer || settings.maskAnswers || this.#masks?.isEmpty === false;
  }

  /**
   * A request, in any protocol, with its personal data masked.
   *
   * @throws GuardrailRefusal
   */
  async request<T>(value: T): Promise<T> {
    const copied = await copyTexts(value);
    const { texts } = copied;
    await this.#assertAllowed(texts, "request");
    this.#masks ??= await Masks.of(texts.map(({ text }) => text));
    const masked = this.rules.masks ? await this.#maskAll(texts, this.#masks) : texts.map(({ text }) => text);
    if (this.rules.moderates.request) await this.#moderate(joinGroups(texts, masked), "request");
    if (this.#masks.isEmpty) return value;
    this.options.note("masked");
    for (const [at, { replace }] of texts.entries()) replace(masked[at] ?? "");
    return copied.finish();
  }

  /**
   * A whole answer.
   * @param isKnown members that are checked otherwise
   * @throws GuardrailRefusal
   */
  async answer<T>(value: T, isKnown?: (object: object, name: string) => boolean): Promise<T> {
    const copied = await copyTexts(value, isKnown);
    const { texts } = copied;
    if (texts.length === 0) return copied.finish();
    await this.#assertAllowed(texts, "answer");
    if (this.rules.moderates.answer) await this.#moderate(joinGroups(texts), "answer");
    const pace = new Pace(PIECE);
    for (const { text, kind, replace } of texts) replace(await this.#finish(text, kind, pace));
    return copied.finish();
  }

  /** Starts to check a streamed text of an answer. */
  stream(kind: TextKind): StreamedText {
    const { lists, settings, moderates } = this.rules;
    return new StreamedText(this, {
      kind,
      held: Math.max(0, ...lists.map(({ list }) => list.longest)),
      blanks: settings.maskAnswers && kind === "text",
      restores: kind !== "thought" && this.#masks?.isEmpty === false,
      moderates: moderates.answer && kind !== "thought",
    });
  }

  /** Blanks out and puts back, in a whole text. */
  async #finish(text: string, kind: TextKind, pace: Pace): Promise<string> {
    if (kind === "thought") return text;
    const blanks = this.rules.settings.maskAnswers && kind === "text";
    const blanked = blanks
      ? await replaceInTurns(text, await this.#findAll(text, this.#answerKinds, pace), blankOut, pace)
      : text;
    let restored = "";
    for (let from = 0, end: number; from < blanked.length; from = end) {
      end = endOfPiece(blanked, from);
      restored += this.restore(blanked.slice(from, end), kind);
      await pace.after(end - from);
    }
    return restored;
  }

  restore = (text: string, kind: TextKind): string => this.#masks?.restore(text, kind === "json") ?? text;

  find(text: string): Found[] {
    const found: Found[] = [];
    for (let from = 0; from < text.length; from += PIECE)
      found.push(...findInPiece(text, from, this.#answerKinds));
    return uniteOverlaps(found);
  }

  /** @throws GuardrailRefusal */
  assertUnblocked(text: string, direction: Direction, part: TextPart): void {
    for (const { rule, list } of this.rules.lists) {
      const match = list.find(text, part);
      if (match)
        this.#refuse({ rule, direction, detail: `it contains a phrase of the list (line ${match.line})` });
    }
  }

  /** @throws GuardrailRefusal */
  async assertModerated(text: string): Promise<void> {
    await this.#moderate([{ text }], "answer");
  }

  get #answerKinds(): readonly PiiKind[] {
    return this.rules.settings.piiKinds;
  }

  get #requestKinds(): readonly PiiKind[] {
    const { piiKinds, maskPii } = this.rules.settings;
    // A token that masks where its organization doesn't masks everything.
    return maskPii ? piiKinds : PII_KINDS;
  }

  async #assertAllowed(texts: readonly { text: string }[], direction: Direction): Promise<void> {
    const longest = Math.max(0, ...this.rules.lists.map(({ list }) => list.longest));
    if (longest === 0) return;
    const pace = new Pace(CHECKED);
    for (const { text } of texts)
      for (let from = 0; from === 0 || from < text.length; from += CHECKED) {
        const start = lengthBefore(text.slice(0, from), longest);
        const end = Math.min(from + CHECKED, text.length);
        const part = { isBeginning: start === 0, isEnd: end === text.length };
        this.assertUnblocked(text.slice(start, end), direction, part);
        await pace.after(end - from);
      }
  }

  async #maskAll(texts: readonly CopiedText[], masks: Masks): Promise<string[]> {
    const { presidioAddress } = this.rules.settings;
    const found: Found[][] = [];
    const pace = new Pace(PIECE);
    for (const { text, kind } of texts)
      found.push(kind === "thought" ? [] : await this.#findAll(text, this.#requestKinds, pace));
    const other = presidioAddress ? await this.#askPresidio(texts, presidioAddress) : [];
    const masked: string[] = [];
    for (const [at, { text }] of texts.entries()) {
      const own = found[at] ?? [];
      const all = other[at]?.length ? uniteOverlaps(own, other[at]) : own;
      masked.push(await replaceInTurns(text, all, (part, inPart) => masks.mask(part, inPart), pace));
    }
    return masked;
  }

  /** What the bundled finder finds, sorted and without overlaps. */
  async #findAll(text: string, kinds: readonly PiiKind[], pace: Pace): Promise<Found[]> {
    const found: Found[] = [];
    for (let from = 0; from < text.length; from += PIECE) {
      for (const one of findInPiece(text, from, kinds)) {
        // The end of what lies across two pieces is found again in the second.
        const last = found.at(-1);
        if (last && one.start < last.end) last.end = Math.max(last.end, one.end);
        else found.push(one);
      }
      await pace.after(Math.min(PIECE, text.length - from));
    }
    return found;
  }

  /** @returns findings by text */
  async #askPresidio(texts: readonly CopiedText[], address: string): Promise<Found[][]> {
    const { orgId } = this.options.actor;
    const { presidioEntities, presidioLanguage: language } = this.rules.settings;
    const entities = presidioEntities.split(",").flatMap((name) => name.trim() || []);
    const service: CheckService = {
      orgId,
      name: "Presidio",
      address: address.replace(/\/+$/, ""),
      keyId: "",
    };
    const groups = joinGroups(texts);
    const tasks = groups.map(({ text, kind }) => async (): Promise<Found[]> => {
      if (kind === "thought" || !/[\p{L}\p{N}]/u.test(text)) return [];
      const found: Found[] = [];
      for (const { from, to, start: before, piece } of piecesOf(text, PIECE, AROUND)) {
        const own = await knownFindings.get(
          [orgId, address, language, presidioEntities, piece],
          () => askPresidio(service, { language, entities }, piece, this.options.signal),
          () => true,
        );
        found.push(
          ...own
            .map(({ label, start, end }) => ({ label, start: start + before, end: end + before }))
            .filter(({ start, end }) => start < to && end > from),
        );
      }
      return found;
    });
    const found = await this.#orFail("personal_data", "request", [], () => inParallel(tasks));
    const byText: Found[][] = texts.map(() => []);
    for (const [at, { members }] of groups.entries())
      for (const { at: text, start, end } of members)
        byText[text] = (found[at] ?? [])
          .filter((one) => one.start < end && one.end > start)
          .map(({ label, ...one }) => ({
            label,
            start: Math.max(one.start, start) - start,
            end: Math.min(one.end, end) - start,
          }));
    return byText;
  }

  async #moderate(texts: readonly { text: string }[], direction: Direction): Promise<void> {
    const all = texts.flatMap(({ text }) => piecesOf(text, JUDGED).map(({ piece }) => piece));
    const pieces = [...new Set(all)].filter((piece) => /[\p{L}\p{N}]/u.test(piece));
    const refused = await this.#orFail("moderation", direction, undefined, async () => {
      if (pieces.reduce((sum, { length }) => sum + length, 0) > MAX_JUDGED)
        throw new AppError(
          "too_large",
          `It is longer than ${MAX_JUDGED.toLocaleString("en-US")} characters.`,
        );
      const judgements = await inParallel(pieces.map((piece) => () => this.#judge(piece)));
      return judgements.find((one) => one.refused !== undefined)?.refused;
    });
    if (refused !== undefined) this.#refuse({ rule: "moderation", direction, detail: refused });
  }

  #judge(text: string): Promise<Judgement> {
    const { actor, signal } = this.options;
    const { moderator, moderationModel: model, moderationPolicy: policy } = this.rules.settings;
    const { moderationAddress, moderationKeyId: keyId } = this.rules.settings;
    const { orgId } = actor;
    const ask = async (): Promise<Judgement> => {
      if (moderator === "service" && moderationAddress !== "") {
        const service = { orgId, name: "Moderation", address: trimAddress(moderationAddress), keyId };
        const refused = await askModeration(service, model, [text], signal);
        return refused === undefined ? {} : { refused };
      }
      const byModel = moderator === "model" ? judge().ask : undefined;
      if (!byModel) throw new AppError("conflict", "No moderator is set up.");
      return byModel(actor, { model, policy, text, signal });
    };
    const key = [orgId, moderator, moderationAddress, model, policy, text];
    return knownJudgements.get(key, ask, ({ refused }) => refused === undefined);
  }

  /** By the setting, a check that failed refuses or lets pass. */
  async #orFail<T>(
    rule: GuardrailRule,
    direction: Direction,
    otherwise: T,
    check: () => Promise<T>,
  ): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (this.options.signal?.aborted) throw this.options.signal.reason;
      const { orgId } = this.options.actor;
      log.warn("a guardrail couldn't check a text", { orgId, kind: rule, error });
      if (this.rules.settings.onFailure === "allow") return otherwise;
      const detail = error instanceof AppError ? error.message : "The check failed.";
      return this.#refuse({ rule, direction, detail, isFailure: true }, error);
    }
  }

  #refuse(refusal: Refusal, cause?: unknown): never {
    this.options.note(refusal);
    throw new GuardrailRefusal(refusal, cause);
  }
}

/** The guard of a call; undefined where no guardrail is on. */
export function guardOf(options: GuardOptions): Guard | undefined {
  const rules = withToken(orgRules(options.actor.orgId), options.actor.gateway?.guardrails);
  const { lists, masks, moderates, settings } = rules;
  const isOn = lists.length > 0 || masks || settings.maskAnswers || moderates.request || moderates.answer;
  return isOn ? new Guard(rules, options) : undefined;
}
