/** Fields of other rooms' forms. */
export { EffortField } from "./components/effort-field";
export { ModelPicker } from "./components/model-picker";
