// Signatures of functions of the language and of frameworks: as much of them as decides which declarations the members
// of a result have. The block "global" has functions without an object, "Object" those of `Object`, and so on.

declare module "global" {
  // `Record<string, V>`
  type Entries<K, V> = { [key: string]: V };
  // `Record<"a" | "b", V>`
  type Table<K extends string, V> = { [P in K]: V };
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
