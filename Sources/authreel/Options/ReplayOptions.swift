import ArgumentParser
import Captures
import Replay

/// Where a replay goes, and what it sends otherwise.
struct ReplayOptions: ParsableArguments {
    @OptionGroup var driving: DrivingOptions

    @Option(
        name: .customLong("map"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Send what went to OLD, and to all below it, to NEW. Repeatable.",
            discussion: "As in https://sso.example.com=http://127.0.0.1:8090.",
            valueName: "OLD=NEW"
        )
    )
    var mapped: [String] = []

    @Option(
        name: .customLong("set"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Send another value for a parameter; STEP.PARAM=VALUE for one kind of step only. Repeatable.",
            discussion:
                "An empty value leaves the parameter out; STEP.PARAM adds one that the recording lacks.",
            valueName: "PARAM=VALUE"
        )
    )
    var overrides: [String] = []

    /// The entries of `--map`.
    func map() throws -> EndpointMap {
        EndpointMap(
            try mapped.map { text in
                let (old, new) = try DrivingOptions.pair(
                    text,
                    option: "--map",
                    taking: "OLD=NEW",
                    example: "https://sso.example=http://127.0.0.1:8090"
                )
                guard RecordedURL(new).isWeb else {
                    throw CommandFailure(
                        .usage,
                        "--map \(text): NEW is no http or https URL",
                        hint: "for example --map \(ShellWord.quoted("\(old)=http://127.0.0.1:8090"))"
                    )
                }
                return EndpointMap.Entry(old: old.withoutSlash, new: new.withoutSlash)
            }
        )
    }

    func planOptions() throws -> PlanOptions {
        var values: [String: String] = [:]
        for text in overrides {
            let (name, value) = try DrivingOptions.pair(
                text,
                option: "--set",
                taking: "PARAM=VALUE",
                example: "scope='openid profile'"
            )
            values[name] = value
        }
        return PlanOptions(
            allowedHosts: try driving.hosts(),
            overrides: values,
            sendsStandIns: driving.sendsStandIns
        )
    }
}
