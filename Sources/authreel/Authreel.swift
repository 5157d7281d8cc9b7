import ArgumentParser

@main
struct Authreel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authreel",
        abstract: "Records a login, says why it broke, plays it again, and makes it safe to share."
    )
}
