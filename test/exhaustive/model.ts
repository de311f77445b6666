import type { Declaration } from "../../src/core/declaration.ts";
import { acceptDeclaration, type Mark } from "../../src/decide/accept-declaration.ts";
import { digestValue } from "../../src/decide/digest.ts";
import type { Design } from "./designs.ts";
import { emptyGrants, emptyLease, emptyStore, mayAsk, type ModelStore, passGate, takeLease } from "./model-store.ts";

/** One attempt to compose and send. `read`: what of the mesh's wish it has read. */
interface Attempt {
  readonly number: number | null;
  readonly read: number | null;
}

interface ControllerState {
  /** 0: it never held the lease. */
  readonly epoch: number;
  /** Its own clocks say that it may act. */
  readonly isInTime: boolean;
  readonly attempts: readonly Attempt[];
}

interface Letter {
  readonly epoch: number;
  readonly number: number;
  readonly wish: number;
}

export interface State {
  readonly store: ModelStore;
  /** How often people changed what they want. */
  readonly wish: number;
  readonly controllers: readonly ControllerState[];
  /** Committed sends; each may reach the host at any time, and again. */
  readonly mail: readonly Letter[];
  readonly host: { readonly mark: Mark | null; readonly wish: number };
  /** Every epoch ever granted, for the check. */
  readonly granted: readonly number[];
}

export interface Step {
  readonly words: string;
  readonly state: State;
  /** The promise that this step broke. */
  readonly broken: "I2" | "I8" | null;
}

export const bounds = { epochs: 3, numbers: 3, pushes: 2 } as const;
const names = ["A", "B"] as const;

export const firstState: State = {
  store: emptyStore,
  wish: 0,
  controllers: names.map(() => ({ epoch: 0, isInTime: false, attempts: [] })),
  mail: [],
  host: { mark: null, wish: 0 },
  granted: [],
};

/** Everything that can happen next. */
export function listSteps(design: Design, state: State): Step[] {
  const steps: Step[] = [];
  if (state.wish < bounds.pushes) {
    const wish = state.wish + 1;
    steps.push({ words: `people want v${wish}`, state: { ...state, wish }, broken: null });
  }
  if (design.resets) steps.push(...listResets(state));
  for (const at of names.keys()) {
    steps.push(...listLeaseSteps(design, state, at));
    steps.push(...listAttemptSteps(design, state, at));
  }
  for (const letter of state.mail) steps.push(...deliver(state, letter));
  return steps;
}

function listResets(state: State): Step[] {
  const { store } = state;
  const steps: Step[] = [];
  if (store.lease !== null)
    steps.push({ words: "the lease table is emptied", state: { ...state, store: emptyLease(store) }, broken: null });
  if (store.grants !== null)
    steps.push({
      words: "the list of grants is emptied",
      state: { ...state, store: emptyGrants(store) },
      broken: null,
    });
  return steps;
}

function listLeaseSteps(design: Design, state: State, at: number): Step[] {
  const steps: Step[] = [];
  const self = controllerAt(state, at);
  const name = names[at] ?? "";
  if (design.deadline && self.isInTime)
    steps.push({
      words: `the deadline of ${name} passes`,
      state: withController(state, at, { ...self, isInTime: false }),
      broken: null,
    });
  const holder = state.controllers.find((one, other) => names[other] === state.store.lease?.holder && one.isInTime);
  // By its own clock the candidate waited the whole age: the holder's deadline, which is earlier, has passed then. Where
  // nobody looks at a deadline anybody may take the lease at any time: clocks are worth nothing.
  const hasBeenSilent = !design.deadline || holder === undefined;
  const isHolding = design.deadline && self.isInTime;
  if (isHolding || state.granted.length >= bounds.epochs || !mayAsk(state.store, hasBeenSilent)) return steps;
  const taken = takeLease(state.store, name, state.store.lease, design.floor);
  if (taken === null) return steps;
  const highest = Math.max(0, ...state.granted);
  const next = withController(
    { ...state, store: taken.store, granted: [...state.granted, taken.epoch] },
    at,
    // A process that lost its lease ends; with it goes what it had not begun to send, unless it only stood still.
    { epoch: taken.epoch, isInTime: true, attempts: [] },
  );
  steps.push({
    words: `${name} takes the lease, epoch ${taken.epoch}`,
    state: next,
    broken: taken.epoch > highest ? null : "I2",
  });
  return steps;
}

function listAttemptSteps(design: Design, state: State, at: number): Step[] {
  const self = controllerAt(state, at);
  const name = names[at] ?? "";
  const steps: Step[] = [];
  const mayAct = !design.deadline || self.isInTime;
  // With a pause, the check was made while it was in time, however late the act comes.
  const mayGoOn = mayAct || design.pauses;
  if (self.epoch > 0 && mayAct && self.attempts.length < design.composers)
    steps.push({
      words: `${name} begins an attempt`,
      state: withController(state, at, { ...self, attempts: [...self.attempts, { number: null, read: null }] }),
      broken: null,
    });
  if (!mayGoOn) return steps;
  for (const index of self.attempts.keys())
    steps.push(...(design.atomic ? transact(design, state, at, index) : goOn(design, state, at, index)));
  return steps;
}

/** Number, reads and commit at one moment. */
function transact(design: Design, state: State, at: number, index: number): Step[] {
  const self = controllerAt(state, at);
  const name = names[at] ?? "";
  const without = { ...self, attempts: self.attempts.filter((_one, other) => other !== index) };
  const passed = passGate(state.store, self.epoch, design.epochTest);
  if (passed === null)
    return [
      {
        words: `${name} is refused: epoch ${self.epoch} is over`,
        state: withController(state, at, without),
        broken: null,
      },
    ];
  if (passed.number > bounds.numbers) return [];
  const letter = { epoch: self.epoch, number: passed.number, wish: state.wish };
  const next = withController({ ...state, store: passed.store, mail: [...state.mail, letter] }, at, without);
  return [{ words: `${name} numbers, reads and sends ${say(letter)} in one transaction`, state: next, broken: null }];
}

/** Number, then reads, then the send. */
function goOn(design: Design, state: State, at: number, index: number): Step[] {
  const self = controllerAt(state, at);
  const name = names[at] ?? "";
  const attempt = self.attempts[index];
  if (attempt === undefined) return [];
  const replace = (next: Attempt | null): ControllerState => ({
    ...self,
    attempts: self.attempts.flatMap((one, other) => (other === index ? (next === null ? [] : [next]) : [one])),
  });
  if (attempt.number === null) {
    const passed = passGate(state.store, self.epoch, design.epochTest);
    if (passed === null || passed.number > bounds.numbers) return [];
    const next = replace({ ...attempt, number: passed.number });
    return [
      {
        words: `${name} takes number ${passed.number}`,
        state: withController({ ...state, store: passed.store }, at, next),
        broken: null,
      },
    ];
  }
  if (attempt.read === null) {
    const next = replace({ ...attempt, read: state.wish });
    return [
      {
        words: `${name} reads v${state.wish} for number ${attempt.number}`,
        state: withController(state, at, next),
        broken: null,
      },
    ];
  }
  const letter = { epoch: self.epoch, number: attempt.number, wish: attempt.read };
  const next = withController({ ...state, mail: [...state.mail, letter] }, at, replace(null));
  return [{ words: `${name} sends ${say(letter)}`, state: next, broken: null }];
}

/** The host's own decision about what it is offered. */
function deliver(state: State, letter: Letter): Step[] {
  if (!isAccepted(state.host.mark, letter)) return [];
  const { epoch, number } = letter;
  const mark: Mark = { order: { epoch, number }, digest: declarationOf(letter).digest, incarnation: "i" };
  return [
    {
      words: `the host applies ${say(letter)}`,
      state: { ...state, host: { mark, wish: letter.wish } },
      broken: letter.wish < state.host.wish ? "I8" : null,
    },
  ];
}

const answers = new Map<string, boolean>();

/** Asked once for each pair: the answer is a function of the two. */
function isAccepted(have: Mark | null, letter: Letter): boolean {
  const key = `${have === null ? "" : `${have.order.epoch}.${have.order.number} ${have.digest}`} ${say(letter)}`;
  const known = answers.get(key);
  if (known !== undefined) return known;
  const offered = declarationOf(letter);
  const limits = { resources: 10 };
  const answer = acceptDeclaration({ have, mesh: "m", node: "n", incarnation: "i", offered, limits });
  answers.set(key, answer.kind === "accept");
  return answer.kind === "accept";
}

const declarations = new Map<string, Declaration>();

function declarationOf(letter: Letter): Declaration {
  const key = say(letter);
  const known = declarations.get(key);
  if (known !== undefined) return known;
  const content = { node: "n", builds: { module: digestValue(`v${letter.wish}`) }, resources: [] };
  const at = "2026-01-01T00:00:00.000Z";
  const made: Declaration = {
    schema: 1,
    mesh: "m",
    node: "n",
    incarnation: "i",
    epoch: letter.epoch,
    number: letter.number,
    issuedAt: at,
    staleAfter: at,
    digest: digestValue(content),
    content,
    sealed: [],
  };
  declarations.set(key, made);
  return made;
}

function controllerAt(state: State, at: number): ControllerState {
  const controller = state.controllers[at];
  if (controller === undefined) throw new Error(`no controller ${at}`);
  return controller;
}

function withController(state: State, at: number, controller: ControllerState): State {
  return { ...state, controllers: state.controllers.map((one, other) => (other === at ? controller : one)) };
}

function say({ epoch, number, wish }: Letter): string {
  return `${epoch}.${number} with v${wish}`;
}
