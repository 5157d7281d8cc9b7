import ArgumentParser

/// Whether to go on without asking, or not to go on at all.
struct ConsentOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @Flag(name: .customLong("dry-run"), help: "Only print the commands.")
    var dryRun = false
}
