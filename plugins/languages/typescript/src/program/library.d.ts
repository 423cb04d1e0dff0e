// Signatures of functions of the language and of frameworks: as much of them as decides which declarations the members
// of a result have. The block "global" has functions without an object, "Object" those of `Object`, and so on.

declare module "global" {
  // `Record<string, V>`
  type Entries<K, V> = { [key: string]: V };
  // `Record<"a" | "b", V>`
  type Table<K extends string, V> = { [P in K]: V };
  // `Function`
  type AnyFunction = (...given: any) => any;
  function structuredClone<T>(value: T): T;
}

declare module "Object" {
  function values<T>(object: { [key: string]: T }): T[];
  function entries<T>(object: { [key: string]: T }): [string, T][];
}

declare module "Array" {
  function of<T>(...items: T[]): T[];
}

declare module "Promise" {
  type Settled<T> = { status: "fulfilled"; value: T } | { status: "rejected"; reason: any };
  function race<T>(values: Iterable<T | PromiseLike<T>>): Promise<T>;
  function any<T>(values: Iterable<T | PromiseLike<T>>): Promise<T>;
  function allSettled<T>(values: Iterable<T | PromiseLike<T>>): Promise<Settled<T>[]>;
}

declare module "Map" {
  function groupBy<K, T>(items: Iterable<T>, key: (item: T, index: number) => K): Map<K, T[]>;
}

declare module "react" {
  interface RefObject<T> { current: T }
  interface MutableRefObject<T> { current: T }
  interface Context<T> {
    Provider: (props: { value: T; children?: any }) => any;
    Consumer: (props: { children: (value: T) => any }) => any;
  }
  type SetStateAction<S> = S | ((previous: S) => S);
  type Dispatch<A> = (value: A) => void;
  type StatePart<S> = Partial<S> | null;
  type SetComponentState<S, P> = (
    part: StatePart<S> | ((state: S, props: P) => StatePart<S>),
    done?: () => void,
  ) => void;
  function useState<S>(): [S, Dispatch<SetStateAction<S>>];
  function useState<S>(initial: S | (() => S)): [S, Dispatch<SetStateAction<S>>];
  function useReducer<S, A>(reducer: (state: S, action: A) => S, initial: S): [S, Dispatch<A>];
  function useRef<T>(): RefObject<T>;
  function useRef<T>(initial: T): RefObject<T>;
  function useMemo<T>(create: () => T, dependencies: any): T;
  function useCallback<T>(callback: T, dependencies: any): T;
  function useDeferredValue<T>(value: T, initial?: T): T;
  function useSyncExternalStore<T>(subscribe: any, snapshot: () => T, server?: () => T): T;
  function createContext<T>(value: T): Context<T>;
  function useContext<T>(context: Context<T>): T;
  function use<T>(source: Context<T> | PromiseLike<T>): T;
  function forwardRef<R, P>(render: (props: P, ref: any) => any): (props: P) => any;
  function memo<P>(component: (props: P) => any, areEqual?: (before: P, after: P) => boolean): (props: P) => any;
}

declare module "vue" {
  interface Ref<T> { value: T }
  interface ShallowRef<T> { value: T }
  interface ComputedRef<T> { value: T }
  interface WritableComputedRef<T> { value: T }
  interface InjectionKey<T> { " type"?: T }
  function ref<T>(): Ref<T>;
  function ref<T>(value: T): Ref<T>;
  function shallowRef<T>(): ShallowRef<T>;
  function shallowRef<T>(value: T): ShallowRef<T>;
  function computed<T>(getter: (previous?: T) => T): ComputedRef<T>;
  function reactive<T>(target: T): T;
  function shallowReactive<T>(target: T): T;
  function readonly<T>(target: T): T;
  function shallowReadonly<T>(target: T): T;
  function markRaw<T>(value: T): T;
  function toRaw<T>(value: T): T;
  function unref<T>(value: T | Ref<T> | ShallowRef<T> | ComputedRef<T>): T;
  function watch<T>(
    source: Ref<T> | ShallowRef<T> | ComputedRef<T> | (() => T),
    callback: (value: T, previous: T, onCleanup: any) => any,
    options?: any,
  ): any;
}

declare module "zustand" {
  type SetState<T> = (part: T | Partial<T> | ((state: T) => T | Partial<T>), replace?: any, action?: any) => void;
  type StateCreator<T, In = any, Out = any, U = T> = (set: SetState<T>, get: () => T, store: StoreApi<T>) => U;
  interface StoreApi<T> {
    setState: SetState<T>;
    getState: () => T;
    getInitialState: () => T;
    subscribe: (listener: (state: T, previous: T) => any) => () => void;
  }
  interface BoundStore<T> extends StoreApi<T> {
    (): T;
    <U>(selector: (state: T) => U, equals?: (one: U, other: U) => boolean): U;
  }
  function create<T>(): (creator: StateCreator<T>) => BoundStore<T>;
  function create<T>(creator: StateCreator<T>): BoundStore<T>;
  function createStore<T>(): (creator: StateCreator<T>) => StoreApi<T>;
  function createStore<T>(creator: StateCreator<T>): StoreApi<T>;
  function useStore<T>(store: StoreApi<T>): T;
  function useStore<T, U>(store: StoreApi<T>, selector: (state: T) => U): U;
}

declare module "zustand/middleware" {
  type SetState<T> = (part: T | Partial<T> | ((state: T) => any), replace?: any, action?: any) => void;
  type Creator<T> = (set: SetState<T>, get: () => T, store: any) => T;
  function devtools<T>(creator: Creator<T>, options?: any): Creator<T>;
  function subscribeWithSelector<T>(creator: Creator<T>): Creator<T>;
  function persist<T>(creator: Creator<T>, options: {
    partialize?: (state: T) => any;
    merge?: (persisted: any, current: T) => T;
    onRehydrateStorage?: (state: T) => any;
  }): Creator<T>;
}

declare module "zustand/middleware/immer" {
  type SetState<T> = (part: T | Partial<T> | ((draft: T) => any), replace?: any, action?: any) => void;
  type Creator<T> = (set: SetState<T>, get: () => T, store: any) => T;
  function immer<T>(creator: Creator<T>): Creator<T>;
}

declare module "zustand/react/shallow" {
  function useShallow<S, U>(selector: (state: S) => U): (state: S) => U;
}

declare module "zod" {
  export type Output<S> = { [K in keyof S]: S[K]["_output"] };
  export type TypeOf<T> = T["_output"];
  export interface ZodType<T> {
    _output: T;
    parse(value: T): T;
    parseAsync(value: T): Promise<T>;
    safeParse(value: T): { success: boolean; data: T; error: any };
    safeParseAsync(value: T): Promise<{ success: boolean; data: T; error: any }>;
    optional(): ZodType<T>;
    nullable(): ZodType<T>;
    nullish(): ZodType<T>;
    default(value: T | (() => T)): ZodType<T>;
    describe(text: string): ZodType<T>;
    readonly(): ZodType<T>;
    refine(check: (value: T) => any, message?: any): ZodType<T>;
    superRefine(check: (value: T, context: any) => any): ZodType<T>;
    transform<U>(change: (value: T, context: any) => U): ZodType<U>;
    array(): ZodType<T[]>;
    or<U>(other: ZodType<U>): ZodType<T | U>;
    and<U>(other: ZodType<U>): ZodType<T & U>;
  }
  export interface ZodObject<S> extends ZodType<Output<S>> {
    shape: S;
    extend<U>(shape: U): ZodObject<S & U>;
    merge<U>(other: ZodObject<U>): ZodObject<S & U>;
    pick(mask: { [K in keyof S]: true }): ZodObject<S>;
    omit(mask: { [K in keyof S]: true }): ZodObject<S>;
    partial(mask?: { [K in keyof S]: true }): ZodObject<S>;
    required(mask?: { [K in keyof S]: true }): ZodObject<S>;
    strict(): ZodObject<S>;
    strip(): ZodObject<S>;
    passthrough(): ZodObject<S>;
  }
  export const z: typeof import("zod");
  export function object<S>(shape: S, options?: any): ZodObject<S>;
  export function strictObject<S>(shape: S, options?: any): ZodObject<S>;
  export function looseObject<S>(shape: S, options?: any): ZodObject<S>;
  export function string(options?: any): ZodType<string>;
  export function number(options?: any): ZodType<number>;
  export function boolean(options?: any): ZodType<boolean>;
  export function date(options?: any): ZodType<Date>;
  export function array<T>(item: ZodType<T>, options?: any): ZodType<T[]>;
  export function optional<T>(inner: ZodType<T>): ZodType<T>;
  export function nullable<T>(inner: ZodType<T>): ZodType<T>;
  export { TypeOf as infer, TypeOf as output };
}
