/** The oldest Node that runs the console, as `engines` in package.json says. */
const OLDEST = [22, 22];

export function isSupportedNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

export const NODE_NEEDED = `Quarterdeck needs Node ${OLDEST.join(".")} or newer; this is ${process.version}.`;

/** Ends a built program under an older Node, whose native modules would crash it without a word. */
export function assertSupportedNode() {
  if (isSupportedNode()) return;
  process.stderr.write(`${NODE_NEEDED} \`npm start\` brings one along.\n`);
  process.exit(1);
}
