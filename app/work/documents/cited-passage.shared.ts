/** The panel beside a conversation. */
export { CitedPassage } from "./components/document/cited-passage";
