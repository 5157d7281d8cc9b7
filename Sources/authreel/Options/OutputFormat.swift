import ArgumentParser

/// How a result is printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
}
