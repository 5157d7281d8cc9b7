/// A step of the flow that works and the one in its place of the flow that fails, each as it was and as it is planned.
struct Counterparts {
    /// Of the flow that works.
    let mine: ComparedStep
    /// Of the flow that fails.
    let theirs: ComparedStep
    /// The plan of the first.
    let own: PlannedStep
    /// The plan of the second.
    let other: PlannedStep
}
