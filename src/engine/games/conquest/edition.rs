//! What the editions of the rules decide differently. A phase is resolved by the edition it is given, so that a
//! record of any edition can be played again; nothing but the policies in here tells editions apart.

/// The newest edition.
pub const CURRENT: u32 = 2;

/// What an edition decides.
#[derive(Debug, PartialEq, Eq)]
pub struct Policy {
    /// How doctrines choose where damage goes.
    pub damage: DamageMeasure,
    /// When initiative in the Deploy phase is settled and told.
    pub deploy_initiative: DeployInitiative,
    /// When jammers count.
    pub jamming: Jamming,
}

/// How doctrines choose where damage goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageMeasure {
    /// Each combat by itself, by the pieces that fall alone, standing orders by damage.
    FallenAlone,
    /// All amounts of a wave together, by everything that is lost, standing orders by pieces and amounts.
    AllThatIsLost,
}

/// When initiative in the Deploy phase is settled and told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeployInitiative {
    /// When both sides deploy. It tells that the other side tried to deploy even if nothing came of it.
    BothDeploy,
    /// When both sides could.
    BothCould,
}

/// When jammers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jamming {
    /// Already when orders are plotted: a seat with nothing but jammed beams to order is not asked.
    Plotted,
    /// When the beam is carried out.
    CarriedOut,
}

static FIRST: Policy = Policy {
    damage: DamageMeasure::FallenAlone,
    deploy_initiative: DeployInitiative::BothDeploy,
    jamming: Jamming::Plotted,
};

static SECOND: Policy = Policy {
    damage: DamageMeasure::AllThatIsLost,
    deploy_initiative: DeployInitiative::BothCould,
    jamming: Jamming::CarriedOut,
};

impl Policy {
    /// The policy of an edition. One that is newer than this program is taken for the newest it knows.
    pub fn of(edition: u32) -> &'static Policy {
        match edition {
            0 | 1 => &FIRST,
            _ => &SECOND,
        }
    }

    /// The policy orders are plotted by.
    pub fn current() -> &'static Policy {
        Policy::of(CURRENT)
    }
}
