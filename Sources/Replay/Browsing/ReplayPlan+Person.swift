extension ReplayPlan {
    /// The secrets that have to be known although somebody signs in by hand: those that the app or its server sends.
    package var secretsBesidesThePersons: [SecretNeed] {
        secrets.filter { need in
            need.name == SecretNames.clientKey || need.name == SecretNames.clientSecret
                || steps.contains { step in
                    !step.isBrowser
                        && step.parameters.contains { parameter in
                            if case .secret(need.name, _) = parameter.source { true } else { false }
                        }
                }
        }
    }
}
