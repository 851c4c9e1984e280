export interface Finding {
  rule: string;
  severity: "low" | "medium" | "high";
  excerpt: string;
}

// Fixed phrases with short gaps take linear time.
const RULES: readonly { rule: string; severity: Finding["severity"]; pattern: RegExp }[] = [
  {
    rule: "Overrides earlier instructions",
    severity: "high",
    pattern:
      /\b(?:ignore|disregard|forget|override)\s{1,3}(?:all\s{1,3})?(?:of\s{1,3})?(?:the\s{1,3}|your\s{1,3}|any\s{1,3})?(?:previous|prior|above|earlier|preceding|system)\b[^.\n]{0,40}/gi,
  },
  {
    rule: "Claims to be the system",
    severity: "high",
    pattern:
      /<\|(?:im_start|system|endoftext)\|>|\[\/?(?:INST|SYSTEM)\]|^\s{0,3}(?:#{1,3}\s*)?system\s{0,2}(?:prompt|message)?:/gim,
  },
  {
    rule: "Asks for secrets",
    severity: "high",
    pattern:
      /\b(?:reveal|print|show|send|output|repeat|leak)\b[^.\n]{0,40}\b(?:system prompt|api[ _-]?keys?|passwords?|credentials|secrets?|tokens?)\b/gi,
  },
  {
    rule: "Asks to hide something from the user",
    severity: "high",
    pattern:
      /\b(?:do not|don't|never|without)\s{1,3}(?:tell|inform|notify|alert|mention to|telling|informing)\b[^.\n]{0,20}\b(?:user|human|anyone|operator)\b/gi,
  },
  {
    rule: "Assigns a new role",
    severity: "medium",
    pattern:
      /\b(?:you are now|from now on,? you|act as if you|pretend (?:to be|you are)|developer mode|jailbreak)\b[^.\n]{0,40}/gi,
  },
  {
    rule: "Asks for a tool call",
    severity: "medium",
    pattern:
      /\b(?:call|invoke|use|run|execute)\s{1,3}(?:the\s{1,3})?(?:tool|function|command)\b[^.\n]{0,40}/gi,
  },
  {
    rule: "Sends data in a link or image",
    severity: "medium",
    pattern:
      /!?\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{1,200}[?&][^)\s]{0,100}=\{?(?:data|secret|key|token|content|\{)[^)\n]{0,60}\)/gi,
  },
  {
    rule: "Contains invisible characters",
    severity: "medium",
    pattern: /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u{e0000}-\u{e007f}]{1,50}/gu,
  },
  { rule: "Contains a long encoded text", severity: "low", pattern: /\b[A-Za-z0-9+/]{200,400}/g },
];

const MAX_FINDINGS = 20;
const visible = (text: string) =>
  text
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u{e0000}-\u{e007f}]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return `U+${code.toString(16).toUpperCase()} `;
    })
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 120);

/** Signs of prompt injection. */
export function scanText(text: string): Finding[] {
  const findings: Finding[] = [];
  for (const { rule, severity, pattern } of RULES)
    for (const match of text.matchAll(pattern)) {
      if (findings.length >= MAX_FINDINGS) return findings;
      findings.push({ rule, severity, excerpt: visible(match[0]) });
    }
  return findings;
}

export function riskOf(findings: readonly Finding[]): "none" | Finding["severity"] {
  for (const severity of ["high", "medium", "low"] as const)
    if (findings.some((finding) => finding.severity === severity)) return severity;
  return "none";
}
